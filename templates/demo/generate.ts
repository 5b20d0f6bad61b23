/**
 * Makes the inputs of `teamsheet demo`: fictional users, a price list for the sandbox's players and a points configuration. The files are the
 * same on every machine; `node templates/demo/generate.ts` writes them again, and a test compares them byte for byte.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '../../src/contract/index.ts';
import { between, chanceOf, pick } from '../../src/sandbox/game/random.ts';
import type { Chance } from '../../src/sandbox/game/random.ts';
import { writeSeason } from '../../src/sandbox/game/season.ts';
import { int, openStore } from '../../src/sandbox/store/store.ts';

const USERS = 520;

type Words = readonly [string, ...string[]];

/** Splits a list of names written in one line. */
function words(line: string): Words {
  const [first = '', ...rest] = line.split(' ');
  return [first, ...rest];
}

interface Script {
  /** How many of 40 users have a name of this kind. */
  readonly share: number;
  readonly given: Words;
  readonly family: Words;
  readonly join: (given: string, family: string) => string;
}

const givenFirst = (given: string, family: string): string => `${given} ${family}`;
const familyFirst = (given: string, family: string): string => `${family} ${given}`;
const familyFirstClosed = (given: string, family: string): string => `${family}${given}`;

/** Everyday given names beside family names that are invented or made of everyday words. */
const SCRIPTS: readonly Script[] = [
  {
    share: 7,
    given: words(
      'Ada Benedict Clementine Dorothea Ezra Florence Gwendolyn Horatio Imogen Jasper Kitty Lionel Maud Nell',
    ),
    family: words(
      "Appletree Brambleby Crumpwell D'Arrowby Elmsworthy Fiddlewick Gooseholt Hatherby-Moss O'Thistle Pennyquick Quillfeather Woolhaven",
    ),
    join: givenFirst,
  },
  {
    share: 5,
    given: words('Aurélie Étienne Ángel Begoña Íñigo Joaquim Conceição Zoë François Noël Núria João'),
    family: words(
      'Bellerivière Châtelmont Lunagrande Montañeiro Peñaflorida Rêvedor Solanazul Tréfleau Vinhoverde Abrildoce',
    ),
    join: givenFirst,
  },
  {
    share: 4,
    given: words('Åsa Bjørg Dagný Hälge Jürgen Käthe Mårten Øyvind Sólveig Þórunn Ünal Şirin'),
    family: words(
      'Ærlighed Birkenblüte Fjordløkke Großapfel Håbets Ísgarður Mühlbächle Nordstjärn Yıldızlı Süßholz',
    ),
    join: givenFirst,
  },
  {
    share: 3,
    given: words('Łucja Ondřej Żaneta Gergő Živa Ștefan Miłosz Čeněk Élise Dražen'),
    family: words(
      'Brzęczyślaw Cseresznyefa Gwiazdołąk Hvězdička Lunogórski Öregalma Pădureanca Šumavnický Zlatopruh Światłocień',
    ),
    join: givenFirst,
  },
  {
    share: 4,
    given: words('Алёна Богдан Варвара Григорій Евдокия Живко Йорданка Лесь Оксана Тимофей'),
    family: words(
      'Березкин-Луг Вишнецвет Звездолюб Калинополь Листопадко Морозец Озерник Ромашкин Тополецький Щедроход',
    ),
    join: givenFirst,
  },
  {
    share: 2,
    given: words('Αθηνά Βασίλης Γεωργία Δημήτρης Ελένη Ζωή Κλειώ Στέφανος'),
    family: words(
      'Αμπελιώτης Γαλανόπετρας Ηλιοφώτης Θαλασσινάκης Καστανιάς Λεμονιάδης Πευκοδάσης Φεγγαρίδης',
    ),
    join: givenFirst,
  },
  {
    share: 3,
    given: words('أمينة بدر جميلة حسن ريم سامي ليلى نور'),
    family: words('البستاني الزيتوني القمري النجمي الوردي الياسميني البحريني الجبلي'),
    join: givenFirst,
  },
  {
    share: 2,
    given: words('אביגיל בועז דליה זאב חנה יונתן נעמי רות'),
    family: words('אלון-שדה ברושי גפנוני הרדופי כוכבי נרקיסי תמרים שקדי'),
    join: givenFirst,
  },
  {
    share: 2,
    given: words('अनन्या ईशान कविता गौरव नेहा मीरा रोहन सुनीता'),
    family: words('आमवाला कमलपुरी गुलमोहर चाँदनी तारावाल नदीपार पर्वतकर फूलमाली'),
    join: givenFirst,
  },
  {
    share: 2,
    given: words('กานดา จันทร์ ชูใจ ดวงใจ ปรีชา มานะ วีระ สุดา'),
    family: words('ดอกไม้ขาว ทะเลทอง นาข้าวดี บ้านสวนใหม่ ภูเขาเขียว ฟ้าสว่าง ลมเย็น แสงดาว'),
    join: givenFirst,
  },
  {
    share: 2,
    given: words('春生 小雨 明月 思源 佳音 天翔 雅文 志远'),
    family: words('云 竹 江 松 柳 星 花 石'),
    join: familyFirstClosed,
  },
  {
    share: 2,
    given: words('あかり 健太 さくら 大輔 ひなた 陽子 蓮 みどり'),
    family: words('青葉原 霧ヶ峰野 桜木沢 月見岡 鳥居坂下 花園寺 星降谷 若草川'),
    join: familyFirst,
  },
  {
    share: 2,
    given: words('가온 다솜 민들레 보람 슬기 아라 하늘 한결'),
    family: words('강 남궁 달 별 산 선우 솔 황보'),
    join: familyFirstClosed,
  },
];

/** Names that a list of real members also holds, and that a careless program spoils. */
const UNUSUAL = [
  'Captain 🦊 Foxglove',
  '⚽ Late Tackle ⚽',
  'Maud 👩🏽‍🚀 Starling',
  '🐢 slow but sure 🏆',
  'Nell "The Wall" Pennyquick',
  'Woolhaven, Lionel (the younger)',
  'Dr. Horatio Quillfeather-Brambleby of Netherelms 3',
  'no capital letters here',
  "N'Golo-Thé d'Abrildoce",
  'ada 7',
  'Ω',
  'ぱ',
] as const;

/** `count` different display names, the scripts in a shuffled order. */
function displayNames(chance: Chance, count: number): readonly string[] {
  const bag = SCRIPTS.flatMap((script) => Array.from({ length: script.share }, () => script));
  const [first, ...rest] = bag;
  if (first === undefined) return [];
  const names = new Set<string>(UNUSUAL);
  while (names.size < count) {
    const script = pick(chance, [first, ...rest]);
    names.add(script.join(pick(chance, script.given), pick(chance, script.family)).normalize('NFC'));
  }
  return shuffled(chance, [...names]);
}

function shuffled<T>(chance: Chance, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: chance() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Mostly yes, some left empty, a few who pause. */
function activeCell(chance: Chance): string {
  const draw = chance();
  return draw < 0.85 ? 'yes' : draw < 0.95 ? '' : 'no';
}

function csv(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

function usersCsv(): string {
  const chance = chanceOf('demo users');
  const rows = displayNames(chance, USERS).map((name, index) => [
    `M-${String(index + 1).padStart(4, '0')}`,
    name,
    activeCell(chance),
  ]);
  return csv([['Member ID', 'Display name', 'Active'], ...rows]);
}

/** The sandbox's own prices, a third of them moved by one to three tenths. */
function pricesCsv(): string {
  const chance = chanceOf('demo prices');
  const store = openStore(undefined);
  writeSeason(store);
  const players = store.all('SELECT id, price FROM players ORDER BY id', [], (row) => ({
    id: int(row, 'id'),
    tenths: Math.round(int(row, 'price') * 10),
  }));
  store.close();
  const rows = players.map(({ id, tenths }) => {
    const step = chance() < 1 / 3 ? between(chance, 1, 3) * (chance() < 0.5 ? -1 : 1) : 0;
    return [String(id), ((tenths + step) / 10).toFixed(1)];
  });
  return csv([['Player ID', 'Price'], ...rows]);
}

/** Settings that are not 0. Saves are counted in threes, and minutes are those of most games. */
const POINTS: Readonly<Record<string, number>> = {
  starter_points: 1,
  bencher_points: 1,
  goalkeeper_clean_sheet_points: 4,
  defender_clean_sheet_points: 4,
  midfielder_clean_sheet_points: 1,
  goalkeeper_goal_points: 6,
  defender_goal_points: 6,
  midfielder_goal_points: 5,
  forward_goal_points: 4,
  goalkeeper_assist_points: 3,
  defender_assist_points: 3,
  midfielder_assist_points: 3,
  forward_assist_points: 3,
  yellow_card_points: -1,
  red_card_points: -3,
  own_goal_points: -2,
  penalty_save_points: 5,
  penalty_miss_points: -2,
  goalkeeper_goal_concede_points: -0.5,
  defender_goal_concede_points: -0.5,
  minutes_played_points: 1,
  goal_save_points: 1,
  clean_sheet_eligibility_minutes: 60,
  time_onfield_eligibility_minutes: 60,
  goal_save_ratio: 3,
};

function pointsCsv(): string {
  const fields = Object.entries(resources.points_config.push.fields);
  const settings = fields.filter(([name]) => name !== 'fantasy_league_id');
  return csv([
    ['Setting', 'Points'],
    ...settings.map(([name, { label }]) => [label, String(POINTS[name] ?? 0)]),
  ]);
}

/** The demo's input files by their names. */
export function demoFiles(): Readonly<Record<string, string>> {
  return { 'users.csv': usersCsv(), 'prices.csv': pricesCsv(), 'points-config.csv': pointsCsv() };
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(demoFiles()))
    writeFileSync(join(import.meta.dirname, name), text);
}
