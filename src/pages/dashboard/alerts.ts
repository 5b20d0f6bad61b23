import { markup, type Markup } from '../markup.ts';
import { card, named, pager, table } from '../parts.ts';
import type { AlertLine, Sheet } from './values.ts';
import { mappingText, moment, typed, type Watch } from './words.ts';

/** The alerts that wait and those that ended, and whether the configuration names anybody to be told. */
export interface Alerts {
  readonly waiting: readonly AlertLine[];
  readonly ended: Sheet<AlertLine>;
  /** What the configuration calls the addresses. */
  readonly addresses: readonly string[];
}

/** What was told, to whom, and what came of it. */
export function alertsBody({ waiting, ended, addresses }: Alerts, watch: Watch): Markup {
  const told =
    addresses.length === 0
      ? markup`<p class="note">Nobody is told: <code>teamsheet.yaml</code> has no <code>alerts</code>.</p>`
      : markup`<p class="note">Told are ${addresses.join(', ')}. ${typed('alerts test')} sends one to each.</p>`;
  return markup`${waiting.length === 0 ? null : card('Waiting', alertTable('Waiting alerts', waiting, watch))}
  ${card(
    null,
    told,
    alertTable('Alerts', ended.lines, watch),
    pager(ended, (page) => `/alerts?page=${page}`),
  )}`;
}

const END: Readonly<Record<AlertLine['end'], readonly [kind: string, word: string]>> = {
  sent: ['good', 'sent'],
  waiting: ['warn', 'waiting'],
  given_up: ['bad', 'given up'],
};

function alertTable(caption: string, lines: readonly AlertLine[], watch: Watch): Markup {
  const rows = lines.map(({ event, mapping, league, to, message, createdAtMs, tries, end, lastTry }) => {
    const [kind, word] = END[end];
    return [
      moment(createdAtMs, watch),
      markup`<b>${event.replaceAll('_', ' ')}</b>${mapping === null ? null : markup` ${mappingText({ mapping, league: league ?? undefined })}`}<br><span class="note">${named(message)}</span>`,
      markup`<span class="badge ${kind}">${word}</span>`,
      named(to),
      markup`${tries}${lastTry === '' ? null : markup`, ${lastTry}`}`,
    ];
  });
  const columns = [
    'Told',
    'What',
    'Sent',
    { head: 'To', kind: 'wide' },
    { head: 'Tries', kind: 'wide' },
  ] as const;
  return table(caption, columns, rows, 'No alert yet.');
}
