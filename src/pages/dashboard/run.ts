import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, facts, named, pager } from '../parts.ts';
import { KINDS, outcomeList, runPath, runState, workText } from './runs.ts';
import {
  countOf,
  ROW_CHOICES,
  type CellPlace,
  type RowChoice,
  type RowLine,
  type RunLine,
  type RunRowsPage,
  type Work,
} from './values.ts';
import { healthBadge, mappingText, moment, roughly, typed, type Watch } from './words.ts';

const CHOICE_WORDS: Readonly<Record<RowChoice, string>> = {
  refused: 'Refused',
  open: 'Deferred, unknown, in conflict',
  written: 'Created and updated',
  all: 'All rows',
};

/** One run: how it ended, each mapping of it, and the rows of one mapping, some of them at a time. */
export function runBody(run: RunLine, shown: RunRowsPage | undefined, watch: Watch): Markup {
  const { id, command, startedAtMs, endedAtMs, requests, work } = run;
  const took = endedAtMs === null ? '–' : roughly(endedAtMs - startedAtMs);
  return markup`${card(
    null,
    facts([
      ['Run', markup`<span class="id">${id}</span>`],
      ['Command', command],
      ['Started', moment(startedAtMs, watch)],
      ['Ended', markup`${moment(endedAtMs, watch)} ${runState(run)}`],
      ['Took', took],
      ...(requests === null ? [] : [['Requests', requestText(requests)] as const]),
    ]),
    leftText(run),
  )}
  ${work.length === 0 ? markup`<p class="empty">${endedAtMs === null ? 'No mapping of it has ended yet.' : 'It has no mapping.'}</p>` : work.map((each) => workCard(run, each, shown))}`;
}

/** What goes on with commands that only read; nothing tells whether one of them is at work. */
const READ_AGAIN: Readonly<Partial<Record<string, (id: string) => string>>> = {
  pull: (id) => `resume ${id}`,
  weeks: () => 'weeks read',
};

function leftText({ id, command, endedAtMs, isAtWork, isFinished, replacedBy }: RunLine): Markup | null {
  if (isAtWork)
    return markup`<p class="note">It is running: what became of its rows is shown here once it has ended.</p>`;
  if (isFinished) return null;
  const again = READ_AGAIN[command]?.(id);
  if (again !== undefined && endedAtMs === null)
    return markup`<p class="note">Not ended: it is running, unless its process is gone. Then ${typed(again)} goes on with it within a day.</p>`;
  if (again !== undefined)
    return markup`<p class="note">Not finished: ${typed(again)} goes on with it within a day.</p>`;
  if (replacedBy.length === 0)
    return markup`<p class="note">Not finished: ${typed(`resume ${id}`)} goes on with it.</p>`;
  const runs = replacedBy.map((run) => markup` <a class="id" href="${runPath(run)}">${run}</a>`);
  return markup`<p class="note">Replaced: its tables were read again by${runs}. Nothing is left to resume.</p>`;
}

const requestText = ({ sent, reads, writes, throttled, waited_ms }: NonNullable<RunLine['requests']>): Part =>
  markup`${count(sent)} sent: ${count(reads)} read, ${count(writes)} written${throttled === 0 ? null : markup`, ${count(throttled)} throttled`}${waited_ms === 0 ? null : markup`, ${roughly(waited_ms)} of pauses`}`;

function workCard(run: RunLine, work: Work, shown: RunRowsPage | undefined): Markup {
  const heading = markup`${mappingText(work)} ${healthBadge(work.health)}`;
  const isShown = shown?.work.name === work.name;
  const head = markup`<p class="note">${work.direction} ${work.resource.replaceAll('_', ' ')}${work.file === null ? null : markup`, ${work.direction === 'push' ? 'results in' : 'report in'} <code>${work.file}</code>`}</p>`;
  if (work.outcomes === null) return card(heading, head, markup`<p>${workText(work)}</p>`);
  const links = ROW_CHOICES.filter((choice) => countOf(work, choice) > 0).map((choice) => {
    const isHere = isShown && shown.choice === choice;
    return markup`<li><a href="${rowsPath(run.id, work.name, choice, 1)}"${isHere ? markup` aria-current="true"` : null}>${CHOICE_WORDS[choice]} <span class="note">${count(countOf(work, choice))}</span></a></li>`;
  });
  return card(
    heading,
    head,
    outcomeList(work.outcomes),
    markup`<nav aria-label="Rows of ${work.name}"><ul class="choices">${links}</ul></nav>`,
    isShown ? rowList(run, shown) : null,
  );
}

const rowsPath = (run: string, mapping: string, choice: RowChoice, page: number): string =>
  `${runPath(run)}?${new URLSearchParams({ mapping, rows: choice, page: String(page) }).toString()}`;

function rowList({ id }: RunLine, { work, choice, rows }: RunRowsPage): Markup {
  if (rows === undefined)
    return markup`<p class="empty">The results of this run are not there${work.file === null ? null : markup`: <code>${work.file}</code> is gone`}.</p>`;
  if (rows.lines.length === 0) return markup`<p class="empty">No rows of this kind.</p>`;
  return markup`<ol class="rows">${rows.lines.map(rowItem)}</ol>${pager(rows, (page) => rowsPath(id, work.name, choice, page))}`;
}

function rowItem({ rowNumber, outcome, message, id, key, fields, places }: RowLine): Markup {
  const said = message === '' ? null : markup`<p class="said">${named(message)}</p>`;
  const values =
    fields.length === 0
      ? null
      : markup`<ul class="chips">${fields.map(([name, value]) => markup`<li>${name} <b>${named(value)}</b></li>`)}</ul>`;
  return markup`<li><p class="head-row"><b>Row ${count(rowNumber)}</b> <span class="badge ${KINDS[outcome] ?? 'good'}">${outcome}</span>${places.map(placeText)}${key === null ? null : markup`<span class="note">${named(key)}</span>`}${id === null ? null : markup`<span class="id">${id}</span>`}</p>${said}${values}</li>`;
}

function placeText({ text, href }: CellPlace): Markup {
  if (href === undefined) return markup`<code>${named(text)}</code>`;
  return markup`<a href="${href}" rel="noreferrer" target="_blank">${named(text)}</a>`;
}
