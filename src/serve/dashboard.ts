import type { IncomingMessage } from 'node:http';
import { TeamsheetError } from '../model/error.ts';
import type { Workers } from '../model/state/workers.ts';
import { alertsBody } from '../pages/dashboard/alerts.ts';
import { casesBody } from '../pages/dashboard/cases.ts';
import { budgetBody } from '../pages/dashboard/budget.ts';
import {
  DASHBOARD_STYLE,
  dashboardDocument,
  loneDocument,
  type DashboardPage,
  type Section,
} from '../pages/dashboard/frame.ts';
import { overviewBody } from '../pages/dashboard/overview.ts';
import { runBody } from '../pages/dashboard/run.ts';
import { runsBody } from '../pages/dashboard/runs.ts';
import { weeksBody } from '../pages/dashboard/weeks.ts';
import { moment, typed, type Watch } from '../pages/dashboard/words.ts';
import { workersPart } from '../pages/dashboard/workers.ts';
import { markup, type Markup } from '../pages/markup.ts';
import { ICON } from '../pages/style.ts';
import { lookAtWorkers } from '../runtime/state.ts';
import { createAccess, isForThisMachine, type Access } from './access.ts';
import { readAlerts } from './alerts.ts';
import { readBudget } from './budget.ts';
import { readCases } from './cases.ts';
import { folderName, withDesk, type Desk, type Folder } from './desk.ts';
import { listen, type Answer, type Listening } from './listen.ts';
import { readOverview } from './overview.ts';
import { readRun, readRuns } from './runs.ts';
import { readWeeks } from './weeks.ts';

/** Reads what a page shows, and makes the page; undefined: there is nothing of that name. */
type View = (desk: Desk, query: URLSearchParams) => Promise<DashboardPage | undefined>;

const view =
  <T>(
    section: Section,
    title: string,
    read: (desk: Desk, query: URLSearchParams) => Promise<T>,
    body: (read: T, watch: Watch) => Markup,
  ): View =>
  async (desk, query) => ({ section, title, body: body(desk.withhold(await read(desk, query)), desk.watch) });

const VIEWS: Readonly<Record<string, View>> = {
  '/': async (desk) => {
    const workers = await workersOf(desk);
    const overview = overviewBody(desk.withhold(await readOverview(desk)), desk.watch, workers?.hosts);
    const machines = workers && workersPart(workers, desk.watch);
    return { section: '/', title: 'Overview', body: markup`${overview}${machines}` };
  },
  '/runs': view('/runs', 'Runs', readRuns, runsBody),
  '/budget': view('/budget', 'Budget and quotas', readBudget, budgetBody),
  '/weeks': view('/weeks', 'Game weeks', readWeeks, weeksBody),
  '/alerts': view('/alerts', 'Alerts', readAlerts, alertsBody),
  '/cases': view('/cases', 'Open cases', readCases, casesBody),
};

/** Where machines share the state, what they do. */
async function workersOf({ config, withhold }: Desk): Promise<Workers | null> {
  return config.state.kind === 'postgres' ? withhold(await lookAtWorkers(config)) : null;
}

const RUN = /^\/runs\/([0-9A-Z]{1,40})$/;

function viewOf(path: string): View | undefined {
  const [, id] = RUN.exec(path) ?? [];
  if (id === undefined) return Object.hasOwn(VIEWS, path) ? VIEWS[path] : undefined;
  return async (desk, query) => {
    const found = desk.withhold(await readRun(desk, id, query));
    if (found === undefined) return undefined;
    const { run, shown } = found;
    return { section: '/runs', title: `Run of ${run.command}`, body: runBody(run, shown, desk.watch) };
  };
}

/** A dashboard that listens. */
export interface Dashboard extends Listening {
  /** The address with the token, for the person who started the program. */
  readonly link: string;
}

/**
 * Serves the pages on loopback; port 0 is any free one. `command` is what a person types to be told the link. Errors: UnavailableError `serve.listen`.
 */
export async function serveDashboard(folder: Folder, port: number, command: string): Promise<Dashboard> {
  const access = createAccess();
  const listening = await listen({ host: '127.0.0.1', port, flag: '--port' }, (request, own) =>
    answer(request, own, { folder, access, command }),
  );
  return { ...listening, link: listening.origin + access.link };
}

interface Serving {
  readonly folder: Folder;
  readonly access: Access;
  readonly command: string;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const html = (status: number, body: string): Answer => ({ status, headers: HTML, body });
const asset = (type: string, body: string): Answer => ({
  status: 200,
  headers: { 'content-type': type },
  body,
});

async function answer(request: IncomingMessage, port: number, serving: Serving): Promise<Answer> {
  const { folder, access, command } = serving;
  if (!isForThisMachine(request))
    return html(
      421,
      loneDocument(421, 'Not this machine', 'The address names another host than this machine.'),
    );
  const target = `http://127.0.0.1${request.url ?? '/'}`;
  if (!request.url?.startsWith('/') || !URL.canParse(target)) return NOT_FOUND;
  const url = new URL(target);
  // They show nothing, and the page of those who may not look needs them.
  if (url.pathname === '/style.css') return asset('text/css; charset=utf-8', DASHBOARD_STYLE);
  if (url.pathname === '/icon.svg') return asset('image/svg+xml', ICON);
  if (access.isLink(url))
    return {
      status: 303,
      headers: { ...HTML, location: '/', 'set-cookie': access.cookieFor(port) },
      body: '',
    };
  if (!access.hasCookie(request, port)) return html(401, lockedPage(command));
  const shown = viewOf(url.pathname);
  if (shown === undefined) return NOT_FOUND;
  try {
    return await withDesk(folder, (desk) => show(shown, desk, url.searchParams));
  } catch (error) {
    return failurePage(error, folder);
  }
}

async function show(shown: View, desk: Desk, query: URLSearchParams): Promise<Answer> {
  const page = await shown(desk, query);
  if (page === undefined) return NOT_FOUND;
  const { watch, config } = desk;
  const whose = { ...watch, folder: folderName(config), shownAt: moment(watch.nowMs, watch) };
  return html(200, dashboardDocument(page, whose));
}

const TO_OVERVIEW = markup`<a class="button" href="/">To the overview</a>`;
const NOT_FOUND = html(404, loneDocument(404, 'Not found', 'There is no such page.', TO_OVERVIEW));

const lockedPage = (command: string): string =>
  loneDocument(
    401,
    'Only with the link',
    'These pages are for the person who started the program.',
    `Open the whole link that it printed, with the token at its end. Without it, start the program again:`,
    typed(command),
  );

/** What stops every command is shown as there; anything else is our mistake, and told where the program runs. */
function failurePage(error: unknown, { warn, renderNext }: Folder): Answer {
  if (error instanceof TeamsheetError) {
    const next = error.next === undefined ? undefined : renderNext(error.next);
    return html(503, loneDocument(503, 'This cannot be shown now', error.message, next));
  }
  warn(`a page of the dashboard failed: ${error instanceof Error ? error.message : String(error)}`);
  return html(500, loneDocument(500, 'The dashboard failed', 'This is a mistake of its own.'));
}
