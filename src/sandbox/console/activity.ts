import { OPERATION_IDS, endpoints } from '../../contract/index.ts';
import type { RecentRequest } from '../http/recent-requests.ts';
import { effectsCard } from './effects.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { card, count, time } from '../../pages/parts.ts';
import { optionsOf } from './pickers.ts';
import { NO_OPERATION, byMinute, isWanted, type RequestGroup, type RequestMinute } from './request-groups.ts';
import { link, textOf, type View, type Visit } from './visit.ts';

/** The latest requests with what they asked, and what requests have changed, both the newest first. */
export const activity: View = (visit) => {
  const all = visit.requests.filter(({ account }) => account === null || account === visit.account);
  const text = (name: string): string => textOf(visit, name).trim().slice(0, 100);
  const filter = {
    method: text('method'),
    operation: text('operation'),
    status: text('status'),
    text: text('text'),
  };
  const wanted = all.filter((request) => isWanted(request, filter));
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const minutes = byMinute(wanted).map(minuteSection);
  const found =
    all.length === 0
      ? markup`<p class="empty">No request since the start. <a href="/docs">Operations</a> shows how to send one.</p>`
      : wanted.length === 0
        ? markup`<p class="empty">No request fits the filter. <a href="${link(visit, 'activity')}">Show all ${count(all.length)}</a></p>`
        : minutes;
  const heading = isFiltered
    ? `${count(wanted.length)} of the latest ${count(all.length)}`
    : `The latest ${count(all.length)}`;
  return {
    title: 'Activity',
    body: markup`${filterForm(visit, all, filter)}${card(markup`Recent requests <span class="badge">${heading}</span>`, found)}${effectsCard(visit, filter)}`,
  };
};

type Filter = Parameters<typeof isWanted>[1];
type Choice = readonly [value: string, label: string];

function filterForm(visit: Visit, all: readonly RecentRequest[], filter: Filter): Markup {
  const seen = (of: (request: RecentRequest) => string): readonly Choice[] =>
    [...new Set(all.map(of))].toSorted().map((value) => [value, value]);
  const choice = (name: keyof Filter, label: string, every: string, choices: readonly Choice[]): Markup =>
    markup`<label>${label} <select name="${name}"><option value="">${every}</option>${optionsOf(choices, filter[name])}</select></label>`;
  const operations = [
    ...OPERATION_IDS.map((id): Choice => [id, id]),
    [NO_OPERATION, 'None (operator, unknown path)'] as const,
  ];
  const kinds = [
    ['2', '2xx, done'],
    ['4', '4xx, refused'],
    ['5', '5xx, failed'],
    ['0', '0, no answer'],
  ] as const;
  const statuses = [...kinds, ...seen(({ status }) => String(status)).filter(([value]) => value !== '0')];
  return markup`<form class="search" method="get" action="${link(visit, 'activity')}">
    ${choice(
      'method',
      'Method',
      'Every method',
      seen(({ method }) => method),
    )}
    ${choice('operation', 'Operation', 'Every operation', operations)}
    ${choice('status', 'Status', 'Every status', statuses)}
    <label>Text in path, query, body or id <input type="search" name="text" value="${filter.text}" maxlength="100"></label><button>Show</button></form>`;
}

function minuteSection(minute: RequestMinute): Markup {
  return markup`<div><h3>${time(minute.time)} <span class="badge">${count(minute.count)}</span></h3>
    <ul class="requests">${minute.groups.map(groupItem)}</ul></div>`;
}

function groupItem({ newest, requests }: RequestGroup): Markup {
  const { method, operation, path, status, fault } = newest;
  const paths = new Set(requests.map((one) => one.path));
  const shownPath = paths.size === 1 || operation === undefined ? path : `/v1${endpointPath(operation)}`;
  const times = requests.length === 1 ? null : markup`<b class="times">×${count(requests.length)}</b>`;
  const [only] = requests.length === 1 ? requests : [];
  const average = requests.reduce((sum, { ms }) => sum + ms, 0) / requests.length;
  return markup`<li><details><summary><span class="method">${method}</span><code>${shownPath}${only === undefined ? null : queryText(only)}</code>${times}<span class="badge ${status > 0 && status < 400 ? 'good' : 'bad'}">${status === 0 ? 'no answer' : status}</span>${fault === undefined ? null : markup`<span class="badge bad">${fault}</span>`}<span class="note operation">${operation}</span><span class="note ms">${average.toFixed(1)} ms${only === undefined ? ' each' : null}</span></summary>
    <ol class="plain">${requests.map(requestItem)}</ol></details></li>`;
}

function endpointPath(operation: string): string {
  return OPERATION_IDS.flatMap((id) => (id === operation ? [endpoints[id].path] : [])).join('');
}

/** One request of a group: when, what exactly, and its body. */
function requestItem(request: RecentRequest): Markup {
  const { time: at, ms, path, body, cutFrom } = request;
  const cut = cutFrom === null ? null : markup`<p class="note">The beginning of ${count(cutFrom)} bytes.</p>`;
  return markup`<li><p class="note"><time datetime="${at}">${at.slice(11, 23)}</time> · ${ms.toFixed(1)} ms · request <code>${request.request}</code></p>
    <p><code>${request.method} ${path}${queryText(request)}</code></p>
    ${body === null || body === '' ? markup`<p class="note">No body.</p>` : markup`<pre tabindex="0">${laidOut(body)}</pre>${cut}`}</li>`;
}

function queryText({ query }: RecentRequest): Part {
  return query.length === 0 ? null : `?${query.map((pair) => pair.join('=')).join('&')}`;
}

/** Compact JSON on lines of its own; anything else as it was sent. */
function laidOut(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
