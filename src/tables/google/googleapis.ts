/** The part of googleapis in use. The build puts the code of the package into this file (rolldown.config.ts), so that nobody installs all of it. */
export { auth, sheets } from 'googleapis/build/src/apis/sheets/index.js';
