/** Writes the introduction of the API description. */
import { ERROR_CATALOGUE } from '../proofing/error-codes.ts'
import type { CatalogueEntry } from '../proofing/error-codes.ts'
import { PROBLEMS } from '../http/problems.ts'

export function writeIntroduction(): string {
  return `A back end creates an identity (one proofing transaction), submits evidence, reads the results and the level of
assurance, and retrieves a signed proof. This description is served as JSON at \`/openapi.json\` and as a page at \`/docs\`.

**Keys.** Every call under \`/v1\` needs a key in the header \`apikey\`, and the header \`User-Agent\`. There are three kinds:

- A **back-end key** acts for the relying service.
- A **user-agent token** is for the application on the applicant's device. The back end requests it with
  \`POST /v1/identities/{id}/user-agent-token\`. It is sent like a key and is valid for this identity only. It expires after
  some minutes, or when the identity is sealed.
- A **user-agent key** allows the same on every identity of its application whose id the caller knows. It is valid until it
  expires or is revoked. A tenant can disable these keys (403 \`user_agent_keys_refused\`).

A user-agent token or key cannot read verification details or pictures, list anything, or find an identity by its
correlation id.

**Applications.** An identity belongs to the application whose key created it, with its evidence, sessions, cases, proof,
legal hold and deletion receipt. A webhook also belongs to the application that registered it. Another application of the
tenant gets 404, as for an unknown id. Correlation ids are unique within an application. The tenant can share identities
between applications (\`tenant.sharing\`): \`read\` lets another back end read data and pictures and retrieve a sealed proof
again (any other call gets 403 \`shared_for_reading\`); \`act\` allows every operation. A webhook receives the events of every
identity that its application may read. Webhooks are never shared.

**Results.** Asynchronous operations answer PROCESSING; poll the status of the evidence. A GET changes nothing, with two
exceptions: \`…/proof\` closes the transaction, and \`…/resume\` opens it again. JSON answers have one form, with members
sorted by name. No answer under \`/v1\` may be cached.

**Values.** Date-times are UTC without zone suffix, \`yyyy-MM-ddTHH:mm:ss.SSS\`, 0 to 7 fraction digits; dates are
\`yyyy-MM-dd\`; countries are ISO 3166-1 alpha-3; phone numbers are E.164. Unknown fields of a request are ignored and not
stored; null means the same as absent.

**Limits.** Every limit answers with a problem that names it:

- Calls per key within a sliding minute. One-time passcodes are counted separately, and calls without a key per address. See
  \`RateLimit\`, \`RateLimit-Policy\` and, with 429, \`Retry-After\`.
- Bytes of request bodies that arrive at the same time, per application and per server: 429 \`upload_budget_exceeded\`, before
  the body is read.
- Time for a request to arrive: 408.
- Open checks per application and per identity: 429 \`too_many_open_jobs\`.
- Stored identities, evidence and bytes: 403 \`quota_reached\`.

Checks of different applications take turns; applicants at the kiosk or the counter have priority. A method that a path does
not have gets 405 with \`Allow\`.

**Pictures** are stored up to their own end: data that was appended to a JPEG, PNG or WebP file is removed, and the hashes in
the proof are those of the stored bytes.

**Repeating.** Every POST takes an \`Idempotency-Key\`. The same request with the same key within 24 hours runs once; a
repetition gets the first answer, with \`Idempotency-Replayed: true\`. A different request with the same key gets 422, and a
repetition while the first request still runs gets 409. After a failure the key can be used again.

**Failures** are problem documents (RFC 9457). They contain only names of fields and ids of the request.

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
