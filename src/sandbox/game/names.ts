import { pick, type Chance } from './random.ts';

type Words = readonly [string, ...string[]];
/** Splits a list of names written in one line. */
function words(line: string): Words {
  const [first = '', ...rest] = line.split(' ');
  return [first, ...rest];
}

/** Given names and invented family names that sound of one region each. */
const REGIONS: readonly [{ given: Words; family: Words }, ...{ given: Words; family: Words }[]] = [
  {
    given: words('Alfie Bertram Callum Dexter Edmund Fraser Gareth Hugo Jonty Kit Leopold Miles Ned Rory'),
    family: words(
      'Ashgrove Birkenthwaite Cobblewick Dunmarsh Eldershaw Fernihough Garstone Hollinrake Larkhill Merrowby Oxtable Penhallick Quennbridge Rudderham Stavelock Thackwell Underbank Wexcombe',
    ),
  },
  {
    given: words(
      'Adrián Bruno Ciro Darío Eneko Fermín Gorka Iker Joaquín Lautaro Mateo Nicanor Ulises Xabier',
    ),
    family: words(
      'Aldazoro Berrontegui Castañuela Durandegui Echarriaga Fontanela Garmendoza Iturbeltza Labrañez Mirallega Olavieta Peñarrubio Quintarroz Sotobrava Urkizabal Valdemorín Yrigaray Zubelzarra',
    ),
  },
  {
    given: words('Anders Bjarne Eskil Filip Gustav Håkon Ivar Jens Kasper Lasse Magnus Nils Søren Torvald'),
    family: words(
      'Askelunden Bjørkvang Dalströmmer Ekhammar Fjellvarden Granlöv Hasselrud Isbråten Kvistgård Lindesjö Mossebakk Nordvåg Rimfrost Skogshede Tindeberg Ulvhøj Vinterhal Østerløkke',
    ),
  },
  {
    given: words('Aurélien Bastien Corentin Damien Étienne Florent Gaël Jérôme Loïc Maël Noé Rémi Théo Yann'),
    family: words(
      'Arbelloux Beaucorneille Chantemiel Desbruyantes Estrelac Fauconval Grandchêne Hautefloraie Jolicerf Lavandrier Montroseau Noirepierre Orvalier Poivresson Roquemaurel Sablonnet Tournebride Valombreux',
    ),
  },
  {
    given: words('Abena Chidi Ebo Femi Ibrahima Jabari Kofi Lamine Moussa Nnamdi Obi Sekou Tunde Yaw'),
    family: words(
      'Abantewu Badiraoré Chukwumeka Diabalanté Ekwunifé Faladokun Gyamenaku Jallohma Kourémba Mbengassé Nkrumaku Odunlayo Quansahene Sowalimé Traolaba Umezuruku Wadoukou Yeboatan',
    ),
  },
  {
    given: words(
      'Aleksander Bogdan Cezary Dragan Emil Goran Igor Jaromír Karel Luka Marek Ondřej Tomasz Zdeněk',
    ),
    family: words(
      'Bartoszewik Brzezowik Cvetanić Dobrovolák Gorčević Hradelka Jasenovik Krasnodębek Ljubomirić Mlynářek Novodvorić Olszanowik Pavlišák Radoslavić Švarcbach Trnovský Vukobratić Zielonkowik',
    ),
  },
  {
    given: words(
      'Daichi Haruki Jae-won Kenta Min-jun Naoki Ren Ryota Seo-jun Shun Takumi Tae-yang Yuma Zhihao',
    ),
    family: words(
      'Aozorano Bambooka Chihayama Fujinosato Hanekawano Itsukimori Kazehara Mizunokawa Namgungsan Okitsuki Ryokawa Seolhwang Shirotsuru Takenohara Umibe Yukishima Yunseol Zhaolin',
    ),
  },
  {
    given: words(
      'Afonso Caio Davi Edson Flávio Gilson Heitor Jandir Luan Murilo Otávio Rafinho Thiago Wesley',
    ),
    family: words(
      'Albuquerra Barrocal Carvalhedo Damasceninho Esteirinha Figueiral Goiabeira Jacarandá Laranjal Macieiral Nogueirão Oliveirinho Palmeirante Quaresmeira Romãozinho Serralheira Tamarindo Videirense',
    ),
  },
];

/** What a player or a user is called; a few go by one name alone, with an empty `first`. */
interface FullName {
  readonly first: string;
  readonly last: string;
}

/** An endless series of invented names from many regions, each given once; about one in 25 is a single name. */
export function nameSeries(chance: Chance): () => FullName {
  const given = new Set<string>();
  const draw = (): FullName => {
    const region = pick(chance, REGIONS);
    const first = pick(chance, region.given);
    return chance() < 0.04 ? { first: '', last: first } : { first, last: pick(chance, region.family) };
  };
  return () => {
    for (;;) {
      const name = draw();
      const key = `${name.first} ${name.last}`;
      if (given.has(key)) continue;
      given.add(key);
      return name;
    }
  };
}

const SQUAD_FIRST = words(
  'Amber Bold Clever Crimson Dancing Electric Fearless Gentle Golden Hidden Iron Jolly Lucky Midnight Northern Patient Quiet Restless Silver Thundering',
);
const SQUAD_SECOND = words(
  'Anchors Badgers Comets Drummers Falcons Gardeners Herons Lanterns Millers Navigators Otters Pilgrims Rockets Sailors Tinkers Voyagers Wanderers Weavers',
);

/** The name of a squad. */
export function squadName(chance: Chance): string {
  return `${pick(chance, SQUAD_FIRST)} ${pick(chance, SQUAD_SECOND)}`;
}
