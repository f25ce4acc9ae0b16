import { field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { GO_ON_AT } from '../own-server.ts'
import { trustedClaim, trustedClaimRequest } from '../spec.ts'
import { newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const ASK = 'POST /v1/identities/{id}/trusted-id-claim/oidc'
const READ = 'GET /v1/identities/{id}/trusted-id-claims'
/** "a URL whose query carries …". */
const QUERY = ['response_type', 'scope', 'client_id', 'nonce', 'redirect_uri', 'state']

export const trustedClaims: Chapter = async (kit) => {
  const { idpIdentifier, own } = kit.target
  const params = { id: await newIdentity(kit) }
  await kit.call(
    ASK,
    'no provider named',
    { params, json: { responseType: 'JSON' } },
    { status: 400, ours: true },
  )
  await kit.call(
    ASK,
    'a provider that is not known',
    { params, json: { idpIdentifier: 'no-such-provider' } },
    { status: [400, 404], ours: true },
  )
  if (idpIdentifier === null) return
  const json = { idpIdentifier, oidcGrantType: 'CODE_FLOW' }
  for (const [title, wrong] of [
    ['a grant type that is none', { oidcGrantType: 'TELEPATHY' }],
    ['a response type that is none', { responseType: 'FAX' }],
  ] as const)
    await kit.call(ASK, title, { params, json: { ...json, ...wrong } }, { status: 400 })
  const stranger = { ...json, postAuthRedirectUri: 'https://stranger.example/' }
  await kit.call(
    ASK,
    'on to an address that was not allowed',
    { params, json: stranger },
    { status: [400, 403], ours: true },
  )

  const asked = await kit.must(
    ASK,
    'answered in JSON',
    { params, json: { ...json, responseType: 'JSON' } },
    { status: 200, shape: trustedClaimRequest },
  )
  checkUrl(kit, field(asked, 'idpAuthorizeEndpoint'))
  const read = await kit.call(
    READ,
    'while the person logs in',
    { params },
    { status: 200, shape: trustedClaim },
  )
  kit.claim(READ, 'answers', unless(read.status === 200, 'no claim came'))
  if (own) await logIn(kit, params.id, field(asked, 'id'), field(asked, 'idpAuthorizeEndpoint'), 201)

  const another = await newIdentity(kit)
  const redirect = {
    ...json,
    responseType: 'HTTP_REDIRECT',
    ...(own ? { postAuthRedirectUri: GO_ON_AT } : {}),
  }
  const sent = await kit.must(
    ASK,
    'answered by a redirect',
    { params: { id: another }, json: redirect },
    { status: 302 },
  )
  checkUrl(kit, sent.headers.get('location') ?? '')
  if (!own) return
  const shown = await kit.must(
    READ,
    'after a redirect',
    { params: { id: another } },
    { status: 200, shape: trustedClaim },
  )
  const evidence = (shown.json as { trustedIdClaim: { evidenceId: string } }).trustedIdClaim
  await logIn(kit, another, evidence.evidenceId, sent.headers.get('location') ?? '', 302)
}

function checkUrl(kit: Kit, address: string): void {
  const query = URL.canParse(address) ? new URL(address).searchParams : new URLSearchParams()
  const missing = QUERY.filter((name) => !query.has(name)).map((name) => `${name} is missing`)
  kit.claim(ASK, 'the address of the provider', missing)
}

/** Acts as the applicant's browser: to the provider, and back to the server with a code. */
async function logIn(
  kit: Kit,
  id: string,
  evidenceId: string,
  address: string,
  expected: 201 | 302,
): Promise<void> {
  const atProvider = await fetch(address, { redirect: 'manual' })
  const back = await fetch(atProvider.headers.get('location') ?? '', { redirect: 'manual' })
  kit.claim(ASK, `the callback answers ${expected}`, [
    ...unless(back.status === expected, `it answered ${back.status}`),
    ...unless(expected === 201 || back.headers.get('location') === GO_ON_AT, 'it goes on at another address'),
  ])
  const verdict = await kit.untilDecided(id, evidenceId)
  kit.claim(
    READ,
    'a person who logged in is verified',
    unless(verdict === 'VERIFIED', `it ended as ${verdict}`),
  )
  await kit.call(READ, 'with what was shared', { params: { id } }, { status: 200, shape: trustedClaim })
}
