/** Where playwright.config.ts serves the page. `localhost`, since WebGPU and OPFS need a secure context. */

/** The built site, as it would be deployed. */
export const SITE_URL = 'http://localhost:41730/';
/** What `npm start` serves. */
export const DEV_URL = 'http://localhost:41731/';
/** The page on a scripted host (part of the built site in mode e2e only). */
export const SCRIPTED_URL = `${SITE_URL}test/e2e/support/scripted.html`;
