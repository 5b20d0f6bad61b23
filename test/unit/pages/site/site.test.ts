import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import type { SiteFile } from '../../../../src/pages/site/frame.ts';
import { siteFiles } from '../../../../src/pages/site/site.ts';
import { siteOf } from '../../../../src/runtime/publish/site-values.ts';
import type { SiteOptions } from '../../../../src/runtime/publish/shown-weeks.ts';
import { htmlFindings } from '../../../support/valid-html.ts';
import { seasonValues, siteOptions, squadId } from '../../../support/season-values.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'a\u202eb',
  '**bold** [l](https://e.example) @everyone',
  'Ømål & co',
];

const league = seasonValues({ squads: 130, weeks: 4, name: (index) => HOSTILE[index] ?? `Eleven ${index}` });
const groups = [
  {
    name: 'A/B "c"',
    members: new Map([
      ['M1', undefined],
      ['M2', 3],
      ['M3', undefined],
    ]),
  },
  { name: 'a b c', members: new Map() },
  { name: 'Aux', members: new Map() },
  { name: 'aux', members: new Map() },
];

const filesOf = (changes: Partial<SiteOptions> = {}, weeks = league): ReadonlyMap<string, string> =>
  new Map(
    [...siteFiles(siteOf(weeks, siteOptions(league, { groups, ...changes })))].map(
      ({ path, text }: SiteFile) => [path, text],
    ),
  );

const files = filesOf({ members: 'display' });
const pages = [...files].filter(([path]) => path.endsWith('.html'));

describe('the site of a league', () => {
  it('has a page for every squad and week, and lists in pages', () => {
    const paths = [...files.keys()];
    expect(paths).toEqual(
      expect.arrayContaining([
        'index.html',
        'index.2.html',
        'weeks.html',
        'race.html',
        'months.html',
        'groups.html',
      ]),
    );
    expect(paths).toEqual(
      expect.arrayContaining([
        'groups/a-b-c.html',
        'groups/a-b-c--2.html',
        'weeks/week-4.html',
        'recap/week-4.md',
        'recap/week-4.txt',
        'standings.svg',
        'robots.txt',
      ]),
    );
    // Windows takes no file whose name begins `aux.`.
    expect(paths.filter((path) => path.includes('aux'))).toEqual([
      'groups/aux--1.html',
      'groups/aux--2.html',
    ]);
    expect(paths.filter((path) => path.startsWith('squads/'))).toHaveLength(130);
    expect(paths).toContain('weeks/week-1-substitutions.html');
    expect(new Set(paths).size).toBe(paths.length);
  });

  it.each(pages)('%s leads to files of the site alone', (path, text) => {
    const targets = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target);
    const local = targets.filter((target) => target !== '#main');
    expect(local.length).toBeGreaterThan(0);
    expect(local.filter((target) => !files.has(join(dirname(path), target)))).toEqual([]);
  });

  it.each(pages.filter(([path]) => !/squads\/(?!1\.)/.test(path)))('%s is valid HTML', (_, text) => {
    expect(htmlFindings(text)).toEqual([]);
  });

  it('fetches nothing from elsewhere, runs nothing and is not for search engines', () => {
    for (const [path, text] of files) {
      expect(text.replaceAll('http://www.w3.org/2000/svg', ''), path).not.toMatch(
        /(?:href|src|url|action)\s*[=(]\s*["']?\s*(?:https?:)?\/\/|@import|<script|<iframe|javascript:/i,
      );
    }
    for (const [, text] of pages) expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(files.get('robots.txt')).toBe('User-agent: *\nDisallow: /\n');
  });

  it('writes hostile names as texts', () => {
    const first = [...files.values()].join('\n');
    expect(first).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(first).toContain('a[U+202E]b');
    expect(first).not.toContain('<img');
    expect(first).not.toContain('\u202e');
  });

  it('keeps every page below 200 KB', () => {
    expect(Math.max(...[...files.values()].map((text) => Buffer.byteLength(text)))).toBeLessThan(200_000);
  });

  it('shows no name of a member unless members are displayed', () => {
    const hidden = [...filesOf().values()].join('\n');
    expect(hidden).not.toMatch(/Member \d/);
    expect(files.get('squads/9.html')).toContain('<bdi>Member 9</bdi>');
  });

  it('calls squads by their numbers where names are not shown', () => {
    const aliased = [...filesOf({ squads: 'alias' }).values()].join('\n');
    expect(aliased).not.toMatch(/Eleven|Ømål/);
    expect(aliased).toContain('<bdi>Squad 12</bdi>');
  });

  it('has nothing of a squad without a number, not even in sums', () => {
    const best = siteOf(league, siteOptions(league)).weeks[3]?.best[0]?.squad.number ?? 0;
    const numbers = new Map(siteOptions(league).numbers);
    numbers.delete(squadId(best - 1));
    const without = siteOf(league, siteOptions(league, { numbers }));
    expect(JSON.stringify(without)).not.toContain(`"number":${best},`);
    expect(without.weeks[3]?.best.map(({ squad }) => squad.number)).not.toContain(best);
    expect(without.weeks[3]?.lineups).toBe(129);
    expect(without.squads).toHaveLength(129);
  });

  it('leads from the leader, the manager of the week and the climber to their squads', () => {
    const index = files.get('index.html') ?? '';
    for (const label of ['Leader', 'Manager of the week', 'Biggest climber']) {
      expect(index).toMatch(
        new RegExp(`<dt>${label}</dt><dd><a href="squads/\\d+\\.html">.*?class="member"`),
      );
    }
  });

  it('calls nobody the leader whom a hidden squad leads, and says no lead over a hidden one', () => {
    const [first, second] = siteOf(league, siteOptions(league)).squads.map(({ number }) => number);
    const without = (hidden = 0): string => {
      const numbers = new Map([...siteOptions(league).numbers].filter(([, number]) => number !== hidden));
      const [, told = ''] =
        /Leader(.*?)Manager of the week/s.exec(filesOf({ numbers }).get('index.html') ?? '') ?? [];
      return told
        .replaceAll(/<[^>]*>/g, ' ')
        .trim()
        .replaceAll(/\s+/g, ' ');
    };
    expect(without()).toMatch(/^Eleven .* points? ahead$/);
    expect(without(first)).toBe('– not shown here');
    expect(without(second)).toMatch(/^Eleven \d+$/);
  });

  it('says with how many squads the leader is level', () => {
    const level = league.map((week) => ({
      ...week,
      squads: week.squads.map((squad) => ((squad.rank ?? 9) <= 3 ? { ...squad, rank: 1, total: 99 } : squad)),
    }));
    const [, told] =
      /<dt>Leader.*?<small>(.*?)<\/small>/.exec(filesOf({}, level).get('index.html') ?? '') ?? [];
    expect(told).toBe('level with 3 squads');
  });

  it('leaves the pages of a week as they are when a later one comes', () => {
    const before = filesOf({}, league.slice(0, 3));
    const after = filesOf();
    const ofWeeks = [...before].filter(([path]) => /^(weeks|recap)\/week-[123]/.test(path));
    expect(ofWeeks.length).toBeGreaterThan(8);
    for (const [path, text] of ofWeeks) expect(after.get(path), path).toBe(text);
  });

  it('is there before the first week, and without squads', () => {
    const empty = filesOf({ groups: [] }, []);
    expect(empty.get('index.html')).toContain('No game week has begun yet.');
    expect(empty.has('groups.html')).toBe(false);
  });
});

describe('a week in words', () => {
  it('is Markdown whose names mark up nothing and call nobody', () => {
    const text = files.get('recap/week-4.md') ?? '';
    expect(text).toMatch(/^## My League: game week 4 \(provisional\)\n\n- \*\*Manager/);
    expect(
      [...files]
        .filter(([path]) => path.startsWith('recap/'))
        .map(([, each]) => each)
        .join(''),
    ).not.toMatch(/@everyone|[^\\]\[l\]/);
    const named = filesOf({ title: '**b** [l](x) &lt;i&gt;' }).get('recap/week-4.md');
    expect(named).toContain(String.raw`## \*\*b\*\* \[l\](x) \&lt;i\&gt;: game week 4`);
  });

  it('has one sign of minus, as the pages have', () => {
    const lost = league.map((week) => ({
      ...week,
      squads: week.squads.map((squad) => ({ ...squad, points: -7, total: -1007 })),
    }));
    const all = filesOf({}, lost);
    expect(all.get('recap/week-4.txt')).toMatch(/−1,007 points/);
    expect(all.get('weeks/week-4.html')).toMatch(/>−7</);
    const told = [...all].filter(([path]) => /html|md|txt$/.test(path));
    expect(told.flatMap(([, text]) => text.match(/.{30}([>(] ?-[17]|-1,007).{20}/g) ?? [])).toEqual([]);
  });

  it('is told the same in plain text', () => {
    const text = files.get('recap/week-4.txt') ?? '';
    expect(text).toMatch(/^My League: game week 4 \(provisional\)\n\nManager of the week: /);
    expect(text).not.toContain('*');
  });
});

describe('the picture to share', () => {
  it('holds the first twenty and stands by itself', () => {
    const svg = files.get('standings.svg') ?? '';
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg.match(/class="bold" x="608"/g)).toHaveLength(20);
    expect(svg).not.toMatch(/href|url\(/);
  });
});
