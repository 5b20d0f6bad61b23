import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TeamsheetError } from '../../src/model/error.ts';
import { PROFILES, profileSettings } from '../../src/sandbox/index.ts';
import type { FaultInput, Settings } from '../../src/sandbox/index.ts';
import { expectAllThere, outcomesOf } from '../support/season/checks.ts';
import type { Outcomes } from '../support/season/checks.ts';
import { readEffects, readFacts } from '../support/season/facts.ts';
import type { Facts } from '../support/season/facts.ts';
import { makeTemplate, openSeason } from '../support/season/season.ts';
import type { Template } from '../support/season/season.ts';
import { Trouble } from '../support/season/trouble.ts';
import { isLong } from '../support/long.ts';

/** More than a page of users, so that a list has several. */
const REGULARS = 48;

let template: Template;
let before: Facts;
/** What comes of a push to which nothing happens. */
let clean: { readonly outcomes: Outcomes; readonly facts: Facts };

beforeAll(async () => {
  template = await makeTemplate(REGULARS);
  await withTrouble({}, async (trouble) => {
    before = readFacts(trouble.season.database);
    const told = await trouble.command('push');
    if (told === undefined || told instanceof TeamsheetError) throw new Error('the push was stopped');
    clean = { outcomes: outcomesOf(told.report.mappings), facts: readFacts(trouble.season.database) };
  });
});
afterAll(() => template.remove());

async function withTrouble(
  settings: Partial<Settings>,
  work: (trouble: Trouble) => Promise<void>,
): Promise<void> {
  // A squad that is refused is tried again with every push, and here the last push must have nothing to do.
  const season = await openSeason(template, { settings, without: ['H'] });
  try {
    await work(new Trouble(season));
  } finally {
    await season.close();
  }
}

/** Whole groups of faults by what a person would call them. */
const FAULTS: Readonly<Record<string, FaultInput>> = {
  'the answer is lost': { kind: 'reset' },
  'the connection breaks before': { kind: 'reset', processed: false },
  'cut JSON': { kind: 'cut' },
  'an empty body': { kind: 'empty' },
  'HTML 502': { kind: 'html' },
  'a hang': { kind: 'hang' },
  'a hang and nothing done': { kind: 'hang', processed: false },
  'an answer after the time-out': { kind: 'late', after_ms: 90_000 },
  'a slow drip': { kind: 'drip', after_ms: 100, every_ms: 1 },
  'a drip without end': { kind: 'drip', after_ms: 50_000, every_ms: 500 },
  'an envelope of 500 in HTTP 200': { kind: 'lying_error' },
  'a success in HTTP 500': { kind: 'lying_success' },
  'a redirect': { kind: 'redirect' },
  '429 without Retry-After': { kind: 'too_many' },
  '429 with seconds': { kind: 'too_many', retry_after: '3' },
  '429 with a date': { kind: 'too_many', retry_after: 'Fri, 14 Aug 2026 18:00:30 GMT' },
  '429 with garbage': { kind: 'too_many', retry_after: 'soon' },
  '429 with 0': { kind: 'too_many', retry_after: '0' },
  '429 with a negative number': { kind: 'too_many', retry_after: '-5' },
  '429 with ten days': { kind: 'too_many', retry_after: '864000' },
  'HTTP 500': { kind: 'status' },
  'HTTP 503': { kind: 'status', status: 503 },
  'HTTP 408': { kind: 'status', status: 408 },
  'HTTP 409': { kind: 'status', status: 409 },
  'a quota that is gone': { kind: 'quota_gone' },
  'a key that is refused': { kind: 'key_inactive' },
  'another content type': { kind: 'content_type' },
  'strange words and fields': { kind: 'strange' },
  'the answer of an earlier request': { kind: 'replay' },
};

describe('the nth request of a season fails, n = 1, 2, 3 ... until none does', () => {
  const kinds = [
    'the answer is lost',
    'the connection breaks before',
    'HTTP 500',
    'a hang',
    'cut JSON',
    'a key that is refused',
    'HTML 502',
  ];

  it('and the report is true, and afterwards everything is there once', async () => {
    // In the short form every eighth request fails, each in the next way.
    for (let nth = 1; ; nth += isLong ? 1 : 8) {
      const chosen = isLong ? kinds : kinds.filter((_, index) => index === nth % kinds.length);
      const met: boolean[] = [];
      for (const kind of chosen)
        met.push(
          await failNth(nth, FAULTS[kind] ?? { kind: 'reset' }).catch((cause: unknown) => {
            throw new Error(`request ${nth}: ${kind}`, { cause });
          }),
        );
      if (!met.includes(true)) break;
      expect(nth).toBeLessThan(200);
    }
  }, 900_000);

  async function failNth(nth: number, fault: FaultInput): Promise<boolean> {
    let met = false;
    await withTrouble({}, async (trouble) => {
      await trouble.set([{ ...fault, nth }]);
      const told = await trouble.command('push');
      const [request = ''] = trouble.sent.slice(nth - 1);
      met = (await trouble.met()) > 0;
      if (fault.kind === 'key_inactive' && met) {
        expect(told instanceof TeamsheetError ? told.exitCode : told?.report.exit_code).toBe(5);
      } else if (!met || request.startsWith('GET')) {
        // A read is simply made again.
        if (told === undefined || told instanceof TeamsheetError)
          throw new Error('the push was stopped', { cause: told });
        expect(outcomesOf(told.report.mappings)).toEqual(clean.outcomes);
      }
      await trouble.clear();
      const held = await trouble.recover();
      expectAllThere(trouble.season, held, before, clean.facts);
    });
    return met;
  }
});

const TALKATIVE = Object.keys(PROFILES).filter((name) => name !== 'closed-account');

/** Every pair, or in the short form so many that each profile comes once and each fault once or twice. */
function pairs(): readonly (readonly [profile: string, fault: string, at: number])[] {
  const faults = Object.keys(FAULTS);
  if (isLong)
    return TALKATIVE.flatMap((profile, row) =>
      faults.map((fault, column) => [profile, fault, row + column] as const),
    );
  return faults.map((fault, index) => [TALKATIVE[index % TALKATIVE.length] ?? '', fault, index] as const);
}

describe('a season on every kind of service with every kind of fault', () => {
  it.each(pairs())(
    '%s, %s',
    async (profile, kind, at) => {
      // The squads are of three players, which is not what is looked at here.
      await withTrouble({ ...profileSettings(profile), squad_rules: 'off' }, async (trouble) => {
        const fault = FAULTS[kind] ?? { kind: 'reset' };
        await trouble.set([0, 1, 2, 3].map((turn) => ({ ...fault, nth: 2 + (at % 5) + 6 * turn })));
        await trouble.command('push');
        expect(await trouble.met()).toBeGreaterThan(0);
        const injected = await trouble.met('too_many');
        await trouble.clear();
        const held = await trouble.recover();
        expectAllThere(trouble.season, held, before, clean.facts);
        // I6: the only 429 are those that were asked for.
        expect(trouble.throttled).toBe(injected);
      });
    },
    60_000,
  );

  it('closed-account writes nothing', async () => {
    await withTrouble(profileSettings('closed-account'), async (trouble) => {
      const effects = readEffects(trouble.season.database).length;
      expect(await trouble.command('push')).toMatchObject({ exitCode: 5 });
      expect(readEffects(trouble.season.database)).toHaveLength(effects);
    });
  });
});
