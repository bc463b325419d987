/** The page on a scripted host: shows states that a real model can't be made to reach on demand. Tests only. */
import { mountApp } from '../../../src/ui/mount.tsx';
import { createScriptedHost } from './scripted_host.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('scripted.html has no element #app.');
mountApp(root, createScriptedHost(new URLSearchParams(location.search)), '/nowhere/');
