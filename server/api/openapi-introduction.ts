/** Introduction of the API's description. */
import { ERROR_CATALOGUE } from '../proofing/error-codes.ts'
import type { CatalogueEntry } from '../proofing/error-codes.ts'
import { PROBLEMS } from '../http/problems.ts'

export function writeIntroduction(): string {
  return `A back end opens an identity (one proofing transaction), submits evidence, reads what became of it and its level of
assurance, and retrieves a signed proof. This description is served at \`/openapi.json\` and, as a page, at \`/docs\`.

**Keys.** Every call under \`/v1\` carries a key in the header \`apikey\` and a \`User-Agent\`. A back-end key acts for the
relying service. For the application in the hand of the person the back end asks for a **user-agent token**
(\`POST /v1/identities/{id}/user-agent-token\`): it is sent like a key, is good for that identity alone, and ends after some
minutes or with the proof. A user-agent key does the same on every identity of its application whose id its holder knows, for
as long as the key lasts; a tenant may switch such keys off (403 \`user_agent_keys_refused\`). Neither sees verification
details, looks an identity up by correlation id, lists, or reads pictures back.

**Applications.** An identity, its evidence, sessions, cases, proof, legal hold and deletion receipt, and a webhook, belong to
the application whose key made them. Another application of the tenant gets 404, as for an id that never was. Correlation ids
are unique within an application. The tenant may share identities between applications (\`tenant.sharing\`): \`read\` lets
another back end look, fetch pictures and repeat a proof that was sealed (anything else is 403 \`shared_for_reading\`),
\`act\` lets it do everything. Webhooks are told of what their application may look at, and are never shared.

**Results.** Asynchronous operations answer PROCESSING; poll the status of the evidence. A GET changes nothing, but for
\`…/proof\`, which closes the transaction, and \`…/resume\`. JSON is sent in one form, members sorted by name. No answer
under \`/v1\` may be cached.

**Values.** Date-times are UTC without zone suffix, \`yyyy-MM-ddTHH:mm:ss.SSS\`, 0 to 7 fraction digits; dates are
\`yyyy-MM-dd\`; countries are ISO 3166-1 alpha-3; phone numbers are E.164. Unknown fields of a request are ignored and not
stored; null means the same as absent.

**Limits.** Calls are counted per key over a sliding minute, one-time passcodes besides, calls without a key per address:
see \`RateLimit\`, \`RateLimit-Policy\` and, with 429, \`Retry-After\`. Bodies under way share a budget of bytes per
application and per server; what goes beyond it is 429 \`upload_budget_exceeded\` before it is read. Requests have to arrive in
time (408). A path with another
method than those listed answers 405 with \`Allow\`. An application and an identity have limits of open checks
(\`too_many_open_jobs\`, 429) and of what is kept of them (\`quota_reached\`, 403): identities, pieces of evidence and bytes.
Checks of different applications take turns; a person at the kiosk or the counter goes first.

**Pictures** are kept up to their own end: what a phone or anyone else has appended to a JPEG, PNG or WebP file is cut off,
and hashes in the proof are of what was kept.

**Repeating.** Every POST takes an \`Idempotency-Key\`. The same request under the same key within 24 hours is done once and
answered alike, with \`Idempotency-Replayed: true\`; another request under it is 422, one that still runs 409. After a failure
the key is free again.

**Failures** are problem documents (RFC 9457) and carry nothing of the request but names of fields and ids.

<details><summary>Problem types</summary>

${table(
  ['Status', 'type: urn:counterproof:problem:…', 'Meaning'],
  Object.entries(PROBLEMS)
    .map(([code, { status, title }]) => [String(status), `\`${code}\``, title])
    .sort(([a = ''], [b = '']) => a.localeCompare(b)),
)}

</details>

<details><summary>Codes of results and failures</summary>

${table(
  ['Code', 'Meaning', 'Status of the call', 'Advice'],
  Object.entries<CatalogueEntry>(ERROR_CATALOGUE).map(([code, { meaning, httpStatus, advice }]) => [
    code,
    meaning,
    httpStatus === null ? 'in the result' : String(httpStatus),
    advice,
  ]),
)}

</details>
`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
