/** The page's side of driver.ts: lines and the end go to the server that the page came from. */
import type { BrowserTask } from './task.ts';

/** Answers when the line has arrived, so that lines keep their order and sending one disturbs no measurement. */
export async function reportLine(line: string): Promise<void> {
  await post('line', line);
}

/** @param error a sentence; null where all went well */
export async function reportEnd(error: string | null): Promise<void> {
  await post('end', JSON.stringify({ error }));
}

/** Asks for the profile's files to be dropped from the system's page cache; false where that can't be done. */
export async function dropPageCache(): Promise<boolean> {
  return await post('drop-page-cache', '') === 'dropped';
}

export async function fetchTask(): Promise<BrowserTask> {
  const response = await fetch('/task.json');
  return await response.json() as BrowserTask;
}

async function post(path: string, body: string): Promise<string> {
  const response = await fetch(`/${path}`, { method: 'POST', body });
  if (!response.ok) throw new Error(`the bench's server answered ${response.status}`);
  return response.text();
}
