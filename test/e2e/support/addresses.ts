/** Where playwright.config.ts serves the page. `localhost`, since WebGPU and OPFS need a secure context. */

/** First of two ports; another one lets two checkouts on one machine be tested at the same time. */
const port = Number(process.env.E2E_PORT ?? 41730);

/** The built site, as it would be deployed. */
export const SITE_URL = `http://localhost:${port}/`;
/** What `npm start` serves. */
export const DEV_URL = `http://localhost:${port + 1}/`;
/** The page on a scripted host (part of the built site in mode e2e only). */
export const SCRIPTED_URL = `${SITE_URL}test/e2e/support/scripted.html`;
