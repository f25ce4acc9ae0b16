/** The calls of the applicant's display: authorised by its token only, never by the officer's cookie. */
import type { PAGE_HEADER as ContractHeader } from '../../../server/counter/contract/staff.ts'
import type { ConsentGiven, ConsentQuestion } from '../../../server/counter/contract/assist.ts'

const PAGE_HEADER: typeof ContractHeader = 'x-counterproof'

async function call(token: string, method: 'GET' | 'POST', body?: object): Promise<Response> {
  const response = await fetch('/counter/api/display/consent', {
    method,
    credentials: 'omit',
    headers: {
      authorization: `Bearer ${token}`,
      [PAGE_HEADER]: 'counter',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(String(response.status))
  return response
}

export const fetchConsentQuestion = async (token: string): Promise<ConsentQuestion> =>
  (await (await call(token, 'GET')).json()) as ConsentQuestion

export async function answerQuestion(token: string, answer: ConsentGiven): Promise<void> {
  await call(token, 'POST', answer)
}
