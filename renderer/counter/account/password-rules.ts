/**
 * Checks a new password before the server does. The server decides, because it knows the list of common
 * passwords. Pure.
 */
import type { PASSWORD_LENGTH } from '../../../server/counter/contract/staff.ts'

/** Copied from `server/counter/contract/staff.ts`: this page may import only its types. */
export const LENGTH: typeof PASSWORD_LENGTH = { least: 12, most: 128 }

interface PasswordRule {
  readonly rule: 'length' | 'login' | 'variety'
  readonly kept: boolean
}

/** Requires length, not kinds of characters (NIST SP 800-63B-4). */
export function passwordRules(password: string, login: string): readonly PasswordRule[] {
  const characters = [...password].length
  const named = login.length > 2 && password.toLowerCase().includes(login.toLowerCase())
  return [
    { rule: 'length', kept: characters >= LENGTH.least && characters <= LENGTH.most },
    { rule: 'login', kept: characters > 0 && !named },
    // Fewer than five different characters are a pattern, not a password (starting value).
    { rule: 'variety', kept: new Set(password).size >= 5 },
  ]
}
