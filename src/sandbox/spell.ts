import { DEFAULT_SETTINGS, type Settings } from './switches.ts';

const SPELLINGS = [
  ...(['key_case', 'key_trim', 'key_cut', 'key_form', 'unneeded_fields', 'extra_fields'] as const),
  ...(['enumerations', 'numbers', 'times', 'week_text'] as const),
];
type Spelling = Pick<Settings, (typeof SPELLINGS)[number]>;
type KeySpelling = Pick<Settings, 'key_case' | 'key_trim' | 'key_cut' | 'key_form'>;

/** A text of a key as the settings keep it. */
export function spellKey(text: string, { key_case, key_trim, key_cut, key_form }: KeySpelling): string {
  const cased = { kept: text, lower: text.toLowerCase(), upper: text.toUpperCase() }[key_case];
  const trimmed = key_trim === 'trimmed' ? cased.trim() : cased;
  const cut = key_cut === 0 ? trimmed : Array.from(trimmed).slice(0, key_cut).join('');
  switch (key_form) {
    case 'kept':
      return cut;
    case 'no_zeros':
      return cut.replace(/^0+(?=.)/, '');
    case 'no_dashes':
      return cut.replaceAll('-', '');
    case 'prefixed':
      return `ext:${cut}`;
  }
}

/** The settings as lists show keys, or as all other answers do. */
export function shownIn<Some extends Settings>(settings: Some, place: 'lists' | 'answers'): Some {
  const isShown = settings.key_shown === 'everywhere' || settings.key_shown === place;
  return isShown
    ? settings
    : { ...settings, key_case: 'kept', key_trim: 'kept', key_cut: 0, key_form: 'kept' };
}

/** Fields that a key is made of. */
const KEY_TEXTS = new Set(['external_id', 'name']);

/** Fields that no request needs and no key is made of. */
const UNNEEDED = new Set(
  'created_at updated_at logo_url fixture_url date_activated game_week_played chip_selected breakdown country continent rank_updated_at'.split(
    ' ',
  ),
);
/** Texts that hold the number of a game week. */
const WEEK_TEXTS = new Set('week game_week next_game_week previous_game_week game_week_played'.split(' '));
/** The fields of section 2.15. */
const ENUMERATED = new Set(
  'tier state window rank_system style type status result txn_type action chip'.split(' '),
);
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{3})Z$/;

/** Whether the settings spell every value as the interface shows it. */
export const isPlain = (how: Spelling): boolean =>
  SPELLINGS.every((name) => how[name] === DEFAULT_SETTINGS[name]);

/** The same data in another spelling that the interface leaves open: keys, nulls, missing and further fields, unknown words, digits as text, times, weeks. */
export function spell(value: unknown, how: Spelling, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, how, name));
  if (typeof value === 'string') return spellText(value, how, name);
  if (Number.isInteger(value)) return how.numbers === 'text' ? String(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    if (!UNNEEDED.has(key) || how.unneeded_fields === 'filled') return [[key, spell(child, how, key)]];
    return how.unneeded_fields === 'null' ? [[key, null]] : [];
  });
  const more = how.extra_fields === 'some' ? { _links: { self: null }, revision: 1 } : {};
  return { ...Object.fromEntries(fields), ...more };
}

function spellText(text: string, how: Spelling, name: string): string {
  if (KEY_TEXTS.has(name)) return spellKey(text, how);
  if (WEEK_TEXTS.has(name)) return { number: '', short: 'GW', words: 'Game week ' }[how.week_text] + text;
  if (ENUMERATED.has(name)) return how.enumerations === 'unknown' ? `x_${text}` : text;
  const [, seconds, fraction] = TIME.exec(text) ?? [];
  if (seconds === undefined || fraction === undefined) return text;
  const spelled = {
    ms: text,
    s: `${seconds}Z`,
    us: `${seconds}.${fraction}000Z`,
    offset: `${seconds}.${fraction}+00:00`,
  };
  return spelled[how.times];
}
