/** How to turn WebGPU on, for the browser that the page runs in. */
export interface WebGpuHelp {
  readonly browser: string;
  readonly steps: readonly string[];
}

const UPDATE_DRIVER = 'Update the graphics driver, then restart the browser.';

/** @param userAgent navigator.userAgent; @param secure window.isSecureContext */
export function webGpuHelp(userAgent: string, secure: boolean): WebGpuHelp {
  if (!secure) {
    return {
      browser: 'this address',
      steps: ['Browsers offer WebGPU on https:// pages and on localhost only: open the page that way.'],
    };
  }
  const linux = /Linux/.test(userAgent) && !/Android/.test(userAgent);
  if (/Firefox\//.test(userAgent)) {
    return {
      browser: 'Firefox',
      steps: [
        'Firefox has WebGPU on Windows (from 141) and on Macs with Apple silicon (from 145): update it.',
        'Elsewhere, open about:config, set dom.webgpu.enabled to true and restart Firefox.',
      ],
    };
  }
  if (/Chrom(e|ium)\//.test(userAgent)) {
    const scheme = /Edg\//.test(userAgent) ? 'edge' : 'chrome';
    return {
      browser: scheme === 'edge' ? 'Edge' : 'Chrome',
      steps: [
        `Open ${scheme}://settings/system and turn on “Use graphics acceleration when available”.`,
        linux
          ? `On Linux, also enable ${scheme}://flags/#enable-unsafe-webgpu and ${scheme}://flags/#enable-vulkan.`
          : `If ${scheme}://gpu lists WebGPU as disabled, enable ${scheme}://flags/#enable-unsafe-webgpu.`,
        UPDATE_DRIVER,
      ],
    };
  }
  if (/Safari\//.test(userAgent)) {
    return {
      browser: 'Safari',
      steps: ['Safari has WebGPU from version 26: update macOS, iOS or iPadOS.', 'Or open this page in a recent Chrome or Edge.'],
    };
  }
  return { browser: 'this browser', steps: ['Open this page in a recent Chrome, Edge, Safari or Firefox.', UPDATE_DRIVER] };
}
