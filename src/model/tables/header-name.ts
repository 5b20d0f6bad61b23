/** A header as columns are told apart by it: without blanks around it, composed, and regardless of case. */
export const foldName = (name: string): string => name.trim().normalize('NFC').toLowerCase();
