/**
 * Characters that hide in a text or turn its direction, for a character class: whoever shows the text writes their codes. Joiners and variation selectors are none
 * of them, which scripts and emoji need.
 */
export const HIDING = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff`;
