/** A name as names are told apart by it, such as headers of a table: without blanks around it, composed, and regardless of case. */
export const foldName = (name: string): string => name.trim().normalize('NFC').toLowerCase();
