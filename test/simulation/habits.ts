import type { Dice } from './dice.ts';

/** What the service does where its interface shows nothing: one plausible reading of it. */
export interface Habits {
  /** What a POST /user with an external_id that is there does. */
  readonly repeatedUser: 'refuse' | 'conflict' | 'merge' | 'second' | 'skip';
  /** What a second squad, mini league or league of the same name does. */
  readonly repeatedRecord: 'refuse' | 'conflict' | 'second';
  /** A second configuration of points, or a second trigger. */
  readonly repeatedSetting: 'replace' | 'refuse';
  /** What a batch with a bad row does before it is answered with a refusal, or with success. */
  readonly badRow: 'refuse_all' | 'half_then_refuse' | 'good_then_refuse' | 'good_only';
  /** What a success says of users that it did not make: nothing, or something in the place of a record or beside the records. */
  readonly leftOut: 'nothing' | 'by_key' | 'by_place' | 'by_key_beside' | 'by_place_beside';
  readonly batchLimit: number;
  /** The order of records in the answer to a batch. */
  readonly answerOrder: 'same' | 'reversed' | 'by_key';
  /** An older record of somebody else stands in the answer too. */
  readonly extraRecord: boolean;
  /** How often an answer leaves its first record out. */
  readonly missingRecord: number;
  /** A flag that new users have; POST /user takes none. */
  readonly newUsersActive: boolean;
  readonly success: 200 | 201;
  /** `http_200` puts every refusal inside an envelope with HTTP 200 around it. */
  readonly refusal: 'whole' | 'without_data' | 'problem_json' | 'http_200';
  readonly pageSize: number;
  /** `words` states no numbers. */
  readonly paging: 'right' | 'no_total' | 'none' | 'total_is_pages' | 'total_is_count' | 'words';
  /** `ignored` answers every page with everything, `first_only` with the first page, `refused` with 400. */
  readonly userPage: 'obeyed' | 'ignored' | 'first_only' | 'refused';
  readonly pastTheEnd: 'empty' | 'last_again' | 'not_found';
  readonly listOrder: 'age' | 'last_changed';
  readonly filters: 'obeyed' | 'ignored';
  /** Until a list shows what was done. */
  readonly listLagMs: number;
  /** The same for the log of prices. */
  readonly logLagMs: number;
  /** With an endless lag they never move. */
  readonly counters: { readonly lagMs: number } | 'absent';
  /** What a record of the log of prices says of its upload: a reference of it, one of its own, or nothing. */
  readonly priceLog: 'by_reference' | 'own_references' | 'no_references';
  /** The configuration of points can be read by the number of its league, not only by its own id. */
  readonly pointsByLeague: boolean;
  /** What a league says of its configuration of points: nothing, the settings themselves, or something in another shape. */
  readonly leaguePoints: 'absent' | 'shown' | 'other_shape';
  readonly limits: Limits;
  /** The service's wall clock minus the true time. */
  readonly skewMs: number;
  readonly dateHeader: boolean;
  readonly latencyMs: number;
  /** How external ids and names are shown, and where; what they are told apart by stays as it was sent. */
  readonly spelling: Readonly<Partial<Record<SpellingWay, 'everywhere' | Place>>>;
  /** How it keeps the names of users. */
  readonly names: NamesKept;
}

/** All of them as they were sent, in capitals, or their beginnings. */
type NamesKept = 'as_sent' | 'capitals' | 'cut';

/** The name of a user as this service keeps it. */
export function keptName(name: unknown, { names }: Pick<Habits, 'names'>): unknown {
  if (typeof name !== 'string' || names === 'as_sent') return name;
  return names === 'capitals' ? name.toUpperCase() : name.slice(0, CUT_NAME);
}

const CUT_NAME = 2;

/** Few services keep names otherwise. Where lists show keys so that only ids tell whose they are, a name is all that shows a record whose answer was lost. */
export const drawNames = (dice: Dice, habits: Habits): NamesKept =>
  dice.chance(0.1) && !areListsStrange(habits) ? dice.pick(['capitals', 'cut']) : 'as_sent';

/**
 * What a service does to the texts of keys: in this order, where it does several. They are sent without blanks around them, so that only those which a cut
 * leaves can be trimmed.
 */
const SPELLING_WAYS = ['lower', 'upper', 'cut', 'trim', 'pad', 'no_zeros', 'prefix'] as const;
type SpellingWay = (typeof SPELLING_WAYS)[number];
/** What no folding of texts explains: only the ids of records tell what they are. */
const STRANGE_WAYS: readonly SpellingWay[] = ['no_zeros', 'prefix'];
/** Where it shows them. */
type Place = 'lists' | 'answers';

/** Characters that a service keeps which cuts texts; two keys never become one by it. */
const CUT = 5;

const SPELL: Readonly<Record<SpellingWay, (text: string) => string>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  cut: (text) => text.slice(0, CUT),
  trim: (text) => text.trim(),
  pad: (text) => text.padEnd(10),
  no_zeros: (text) => text.replace(/^0+(?=.)/, ''),
  prefix: (text) => `x:${text}`,
};

/** Whether lists show keys so that only the ids of records tell whose they are: what was never seen with its id is another record there. */
export const areListsStrange = ({ spelling }: Habits): boolean =>
  STRANGE_WAYS.some((way) => spelling[way] === 'lists');

/** How often names are to be sent once more until they are known to be kept otherwise: an answer to a create whose key no folding explains says nothing of its name. */
export function moreTimesForNames({ names, spelling }: Habits): number {
  if (names === 'as_sent') return 0;
  return STRANGE_WAYS.some((way) => (spelling[way] ?? 'lists') !== 'lists') ? 2 : 1;
}

/** A text of a key as a service shows it in lists, or in all other answers. */
export function spelled(text: string, spelling: Habits['spelling'], place: Place): string {
  const ways = SPELLING_WAYS.filter((way) => spelling[way] === place || spelling[way] === 'everywhere');
  return ways.reduce((shown, way) => SPELL[way](shown), text);
}

export interface Limits {
  readonly kind: 'fixed' | 'sliding';
  readonly perMinute: number;
  readonly minuteMs: number;
  readonly perDay: number;
  /** How the account calls the length of its shorter window; by default in seconds. */
  readonly text?: string;
  /** Whether an account call takes from the windows: before it reports them, after, or not at all. */
  readonly accountCall: 'listed' | 'unlisted' | 'free';
  /** `account` counts other clients' requests from the start. */
  readonly spentBefore: number;
}

/** The plainest reading of everything: no two facts of it disagree, and nothing comes late. */
export const PLAIN: Habits = {
  repeatedUser: 'conflict',
  repeatedRecord: 'conflict',
  repeatedSetting: 'replace',
  badRow: 'refuse_all',
  leftOut: 'nothing',
  batchLimit: Infinity,
  answerOrder: 'same',
  extraRecord: false,
  missingRecord: 0,
  newUsersActive: true,
  success: 201,
  refusal: 'whole',
  pageSize: 50,
  paging: 'right',
  userPage: 'obeyed',
  pastTheEnd: 'empty',
  listOrder: 'age',
  filters: 'obeyed',
  listLagMs: 0,
  logLagMs: 0,
  counters: { lagMs: 0 },
  priceLog: 'by_reference',
  pointsByLeague: true,
  leaguePoints: 'shown',
  limits: {
    kind: 'fixed',
    perMinute: Infinity,
    minuteMs: 60_000,
    perDay: Infinity,
    accountCall: 'listed',
    spentBefore: 0,
  },
  skewMs: 0,
  dateHeader: true,
  latencyMs: 5,
  spelling: {},
  names: 'as_sent',
};

function drawLimits(dice: Dice): Limits {
  const tight = dice.chance(0.35);
  return {
    kind: dice.pick(['fixed', 'sliding']),
    perMinute: tight ? dice.int(6, 30) : 600,
    minuteMs: dice.pick([60_000, 60_000, 10_000]),
    perDay: tight && dice.chance(0.3) ? dice.int(60, 200) : 100_000,
    accountCall: dice.pick(['listed', 'free']),
    spentBefore: dice.chance(0.2) ? dice.int(0, 5) : 0,
  };
}

/**
 * Draws one service. Whatever it does late, it shows within `settleMs` after the request was sent. One that refuses a batch and keeps a part of it shows the
 * first such part of prices at once, and of users at once or in a counter that does not lag: nothing else tells it from one that kept nothing.
 */
export function drawHabits(dice: Dice, settleMs: number): Habits {
  const any = drawAny(dice, settleMs);
  const drawn = dice.chance(0.12) ? { ...any, ...drawUnlisted(dice, settleMs) } : any;
  const keepsParts = drawn.badRow === 'half_then_refuse' || drawn.badRow === 'good_then_refuse';
  const told = { ...drawn, ...withoutChance(drawn) };
  if (!keepsParts) return told;
  const { counters, listLagMs } = told;
  const isCounted = counters === 'absent' || counters.lagMs === 0;
  const isListed = told.userPage === 'obeyed';
  const shown = isCounted ? { listLagMs } : isListed ? { listLagMs: 0 } : { counters: { lagMs: 0 } };
  return { ...told, ...shown, logLagMs: 0 };
}

/** Half of the services that leave users out of a success say something of them. */
export const drawLeftOut = (dice: Dice): Habits['leftOut'] =>
  dice.chance(0.5) ? 'nothing' : dice.pick(['by_key', 'by_place', 'by_key_beside', 'by_place_beside']);

/**
 * A list that shows its first page alone and states no total is told from a whole one by the counter alone. A counter that comes late may say just what fits on
 * that page; then nothing that the service shows speaks against the list, and the promise leaves it out: `docs/limits.md` says so. So it is with a list that
 * shows what changed last first: of one record a page, each change by others meanwhile makes the next page that of before, as if the list ended there.
 */
function withoutChance({ userPage, paging, counters, listOrder, pageSize }: Habits): Partial<Habits> {
  const isUntold = paging !== 'right';
  const isAlone = userPage === 'first_only' && isUntold;
  const seemsToEnd = listOrder === 'last_changed' && pageSize === 1 && isUntold;
  return {
    ...(isAlone && counters !== 'absent' && { counters: { lagMs: 0 } }),
    ...(seemsToEnd && { pageSize: 2 }),
  };
}

/** Users that cannot be listed and small batches: nothing but the counter shows what a refused batch left. */
function drawUnlisted(dice: Dice, settleMs: number): Partial<Habits> {
  return {
    userPage: dice.pick(['ignored', 'first_only', 'refused', 'refused']),
    paging: dice.pick(['right', 'none']),
    pageSize: dice.pick([1, 2]),
    batchLimit: dice.pick([1, 2]),
    counters: dice.chance(0.5)
      ? { lagMs: 0 }
      : dice.pick([
          { lagMs: 5_000 },
          { lagMs: Math.floor(settleMs / 3) },
          { lagMs: 3_600_000 },
          { lagMs: Infinity },
          'absent',
        ]),
  };
}

/** Most services keep keys as they are sent; of the others, some do several things to them, each in its place. */
function drawSpelling(dice: Dice): Habits['spelling'] {
  if (!dice.chance(0.3)) return {};
  const ways = [dice.pick(SPELLING_WAYS), ...(dice.chance(0.4) ? [dice.pick(SPELLING_WAYS)] : [])];
  return Object.fromEntries(
    ways.map((way) => [
      way,
      dice.pick(STRANGE_WAYS.includes(way) ? ['lists', 'answers'] : ['everywhere', 'lists', 'answers']),
    ]),
  );
}

function drawAny(dice: Dice, settleMs: number): Habits {
  const odd = <T>(usual: T, others: readonly T[], probability = 0.3): T =>
    dice.chance(probability) ? dice.pick(others) : usual;
  const drawn = {
    repeatedUser: dice.pick(['refuse', 'conflict', 'merge', 'second', 'second', 'skip']),
    repeatedRecord: dice.pick(['refuse', 'conflict', 'second', 'second']),
    repeatedSetting: dice.pick(['replace', 'replace', 'refuse']),
    badRow: dice.pick(['refuse_all', 'refuse_all', 'half_then_refuse', 'good_then_refuse', 'good_only']),
    leftOut: 'nothing',
    batchLimit: odd(Infinity, [1, 2, 3], 0.15),
    answerOrder: odd<Habits['answerOrder']>('same', ['reversed', 'by_key'], 0.4),
    extraRecord: dice.chance(0.1),
    missingRecord: odd(0, [0.3], 0.15),
    newUsersActive: !dice.chance(0.1),
    success: dice.pick([200, 201]),
    refusal: odd<Habits['refusal']>('whole', ['without_data', 'problem_json', 'http_200']),
    pageSize: dice.pick([1, 2, 3, 5, 50, 50]),
    paging: odd<Habits['paging']>('right', ['no_total', 'none', 'total_is_pages', 'total_is_count', 'words']),
    userPage: odd<Habits['userPage']>('obeyed', ['ignored', 'first_only', 'refused'], 0.15),
    pastTheEnd: dice.pick(['empty', 'empty', 'last_again', 'not_found']),
    listOrder: odd<Habits['listOrder']>('age', ['last_changed']),
    filters: odd<Habits['filters']>('obeyed', ['ignored'], 0.15),
    listLagMs: odd(0, [500, 5_000, Math.floor(settleMs / 3)]),
    counters: odd<Habits['counters']>({ lagMs: 0 }, [
      { lagMs: 5_000 },
      { lagMs: Math.floor(settleMs / 3) },
      { lagMs: 3_600_000 },
      'absent',
    ]),
    priceLog: dice.pick(['by_reference', 'own_references', 'no_references']),
    pointsByLeague: dice.chance(0.7),
    leaguePoints: dice.pick(['absent', 'shown', 'other_shape']),
    limits: drawLimits(dice),
    skewMs: odd(0, [-90_000_000, -4_000, 4_000, 90_000_000]),
    dateHeader: !dice.chance(0.2),
    latencyMs: dice.pick([5, 50, 400, 3_000]),
    spelling: drawSpelling(dice),
    names: 'as_sent',
  } satisfies Omit<Habits, 'logLagMs'>;
  return { ...drawn, logLagMs: drawn.listLagMs };
}
