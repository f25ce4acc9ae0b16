/** What the page can say of a new password before the server does. The server decides: it knows the list of common ones. Pure. */
import type { PASSWORD_LENGTH } from '../../../server/counter/contract/staff.ts'

/** Of `server/counter/contract/staff.ts`; only its types are ours to import. */
export const LENGTH: typeof PASSWORD_LENGTH = { least: 12, most: 128 }

export interface PasswordRule {
  readonly rule: 'length' | 'login' | 'variety'
  readonly kept: boolean
}

/** Length is what counts (NIST SP 800-63B-4); signs of some kind are asked of nobody. */
export function passwordRules(password: string, login: string): readonly PasswordRule[] {
  const characters = [...password].length
  const named = login.length > 2 && password.toLowerCase().includes(login.toLowerCase())
  return [
    { rule: 'length', kept: characters >= LENGTH.least && characters <= LENGTH.most },
    { rule: 'login', kept: characters > 0 && !named },
    // Fewer than five different signs are a pattern, not a password (starting value).
    { rule: 'variety', kept: new Set(password).size >= 5 },
  ]
}
