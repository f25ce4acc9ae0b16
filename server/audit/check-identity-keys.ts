/** Checks that every identity that was not erased has its key, and that the key file is not older than the database. */
import { describeProblem, type KeysComparison } from '../store/identity-keys.ts'
import type { Findings } from './findings.ts'

const TABLE = 'identity_keys'

export function checkIdentityKeys(look: KeysComparison | null, findings: Findings): void {
  if (!look || look.problem === null) return
  const { problem, lost } = look
  findings.add(TABLE, problem === 'older' ? 'set_back' : 'missing', TABLE, `${describeProblem(look)}.`)
  for (const id of lost) {
    const message = `Identity ${id} has no key, and no erasure explains it: nothing of it can be read.`
    findings.add(TABLE, 'missing', id, message)
  }
}
