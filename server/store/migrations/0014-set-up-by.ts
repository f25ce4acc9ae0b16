/** Officers who issued the set-up code of an account: JSON list of staff ids. NULL: set up before this version. */
export const setUpBy = `
ALTER TABLE staff ADD COLUMN set_up_by TEXT;
`
