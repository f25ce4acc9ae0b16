/**
 * Reasons why the server refuses a change of accounts: the code is among the errors, the text in the locale.
 */
import { ApiProblem } from '../../api/client.ts'
import type { StaffRefusal } from '../../../../server/counter/contract/staff.ts'

const REFUSALS: readonly StaffRefusal[] = [
  'LAST_ADMINISTRATOR',
  'OWN_ACCOUNT',
  'OWN_ESCALATION',
  'LOGIN_TAKEN',
  'PROVIDED',
]

/** Replaces the code of the problem by the specific reason if there is one. */
export async function withStaffWords<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    const refusal = REFUSALS.find((code) => error.errors.some((one) => one.code === code))
    throw refusal ? new ApiProblem(`staff.${refusal}`, error) : error
  }
}
