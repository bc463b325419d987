/**
 * Runs the built page in a Chromium and prints what it reports. No dependencies, so that a bare machine with Node and a
 * Chromium can do it: a server hands out the page and takes its lines, Chromium is started headless with the page's address.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Print } from '../sweep.ts';
import type { BrowserTask } from './task.ts';

const DEFAULT_CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const MEDIA_TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
/** Cross-origin isolation makes clocks precise: 5 µs instead of 100. */
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cache-Control': 'no-store' };
/** Smaller files of a profile are no model's. */
const LARGE_FILE_BYTE_LENGTH = 2 ** 20;
const KEPT_LOG_LENGTH = 4000;

export interface BrowserRun {
  readonly chromiumPath: string;
  /** The built page. */
  readonly siteFolder: string;
  readonly task: BrowserTask;
  readonly print: Print;
}

/** @throws Error saying how to name one */
export function findChromium(): string {
  const found = process.env['CHROMIUM_PATH'] ?? DEFAULT_CHROMIUMS.find((path) => existsSync(path));
  if (found === undefined) throw new Error('no Chromium was found: set CHROMIUM_PATH to one');
  return found;
}

export function chromiumArguments(hardware: boolean, profile: string, address: string): string[] {
  return [
    '--headless', '--no-sandbox', '--no-first-run', '--disable-dev-shm-usage', `--user-data-dir=${profile}`,
    '--disable-background-networking', '--disable-quic', '--disable-component-update', '--disable-sync',
    '--enable-unsafe-webgpu',
    ...(hardware
      ? ['--enable-features=Vulkan', '--use-angle=vulkan', '--disable-vulkan-surface', '--ignore-gpu-blocklist']
      : ['--use-webgpu-adapter=swiftshader']),
    address,
  ];
}

/** @throws Error with what the page or Chromium said where it fails */
export async function runInChromium({ chromiumPath, siteFolder, task, print }: BrowserRun): Promise<void> {
  const profile = await mkdtemp(join(tmpdir(), 'hotset-bench-'));
  const { server, ended } = serve(siteFolder, task, profile, print);
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const browser = spawn(chromiumPath, chromiumArguments(task.hardware, profile, address), { stdio: ['ignore', 'ignore', 'pipe'] });
    const exited = exitOf(browser);
    try {
      await Promise.race([ended, exited.failure]);
    } finally {
      browser.kill();
      await exited.done;
    }
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** `failure` rejects with the end of Chromium's log when it leaves by itself; `done` resolves when it has left. */
function exitOf(browser: ChildProcess): { readonly failure: Promise<never>; readonly done: Promise<void> } {
  let log = '';
  browser.stderr?.on('data', (bytes: Buffer) => { log = (log + bytes.toString()).slice(-KEPT_LOG_LENGTH); });
  const done = new Promise<void>((resolve) => {
    browser.once('exit', () => resolve());
    browser.once('error', (error) => { log = error.message; resolve(); });
  });
  const failure = done.then(() => { throw new Error(`Chromium ended before the page was done:\n${log}`); });
  // Whether it is a failure is decided by whoever comes first.
  failure.catch(() => undefined);
  return { failure, done };
}

function serve(
  siteFolder: string, task: BrowserTask, profile: string, print: Print,
): { readonly server: Server; readonly ended: Promise<void> } {
  let end: (error: string | null) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === null ? resolve() : reject(new Error(error)));
  });
  ended.catch(() => undefined);
  const files = filesOf(siteFolder);
  const posts: Readonly<Record<string, (body: string) => Promise<string>>> = {
    '/line': async (body) => { await print(body); return ''; },
    '/end': async (body) => { end((JSON.parse(body) as { error: string | null }).error); return ''; },
    '/drop-page-cache': async () => (dropPageCache(profile) ? 'dropped' : ''),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (request.method === 'POST' && posts[path]) {
      response.writeHead(200, HEADERS).end(await posts[path](await bodyOf(request)));
    } else if (path === '/task.json') {
      response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' }).end(JSON.stringify(task));
    } else {
      const file = files.get(path === '/' ? '/index.html' : path);
      if (file === undefined) response.writeHead(404).end();
      else response.writeHead(200, { ...HEADERS, 'Content-Type': MEDIA_TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end();
      end(error instanceof Error ? error.message : String(error));
    });
  });
  return { server, ended };
}

/** A folder's files by their path in an address. */
function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // A profile's files come and go while Chromium runs.
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return new Map(names.map((name) => [`/${name}`, join(folder, name)] as const).filter(([, path]) => isFile(path)));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const bytes of request) body += (bytes as Buffer).toString();
  return body;
}

/** GNU dd advises the system to forget a file's cached pages; nothing else does that without rights. */
function dropPageCache(profile: string): boolean {
  if (process.platform !== 'linux' || spawnSync('sync', []).status !== 0) return false;
  const large = [...filesOf(profile).values()].filter((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= LARGE_FILE_BYTE_LENGTH);
  return large.length > 0
    && large.every((path) => spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']).status === 0);
}
