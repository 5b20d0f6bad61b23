import { shownText, type Cell } from '../model/tables/cell.ts';

/** The errors that spreadsheets show, without the sign `#`, language by language: a CSV file holds those of the program that saved it. */
const ERRORS = new Set(
  [
    'N/A REF! VALUE! DIV/0! NAME? NULL! NUM! SPILL! CALC! ERROR! GETTING_DATA BLOCKED! FIELD! CONNECT! BUSY! UNKNOWN! PYTHON!',
    'NV BEZUG! WERT! ZAHL! ÜBERLAUF! KALK! FEHLER!',
    'VALEUR! NOM? NUL! NOMBRE! PROPAGATION! EPARS! ERREUR!',
    'N/D ¡REF! ¡VALOR! ¡DIV/0! ¿NOMBRE? ¡NULO! ¡NUM! ¡DESBORDAMIENTO! ¡CALC!',
    'RIF! VALORE! NOME? NULLO! ESPANSIONE!',
    'N/B VERW! WAARDE! DEEL/0! NAAM? LEEG! GETAL!',
    'VALOR! NULO! NÚM! DESPEJAR!',
    'N/D! ADR! ARG! DZIEL/0! NAZWA? ZERO! LICZBA!',
    'SAKNAS! REFERENS! VÄRDEFEL! DIVISION/0! NAMN? SKÄRNING! OGILTIGT!',
    'I/T REFERENCE! VÆRDI! VERDI! NAVN?',
    'PUUTTUU! VIITTAUS! ARVO! JAKO/0! NIMI? TYHJÄ! LUKU!',
    'NENÍ_K_DISPOZICI ODKAZ! HODNOTA! DĚLENÍ_NULOU! NÁZEV?',
    'YOK BAŞV! DEĞER! SAYI/0! AD? BOŞ! SAYI!',
    'HIÁNYZIK HIV! ÉRTÉK! ZÉRÓOSZTÓ! NÉV? NULLA! SZÁM!',
    'Н/Д ССЫЛКА! ЗНАЧ! ДЕЛ/0! ИМЯ? ПУСТО! ЧИСЛО!',
  ].flatMap((language) => language.split(' ')),
);
/** LibreOffice numbers its errors: `Err:502`. A number in a column that is too narrow for it is `####`. Google shows `Loading...` where a formula waits for its values. */
const OTHER = /^(?:Err:5\d\d|#{3,}|Loading\.\.\.)$/;

/** What is wrong with a cell in which a spreadsheet shows an error, such as `#N/A`; undefined for any other cell. */
export function spreadsheetError(cell: Cell): string | undefined {
  const isError = typeof cell === 'string' ? isErrorText(cell) : cell.kind === 'error';
  if (!isError) return undefined;
  return `holds the spreadsheet error ${shownText(cell).trim()}; correct its formula, or write the value`;
}

function isErrorText(cell: string): boolean {
  if (!/^\s*(?:#|Err:|Loading)/.test(cell)) return false;
  const text = cell.trim().normalize('NFC');
  return ERRORS.has(text.slice(1)) || OTHER.test(text);
}
