/**
 * The keys that sign proofs: created, rotated, retired, revoked, certified, published; with or without a
 * running appliance.
 */
import { createPublicKey } from 'node:crypto'
import { AppError } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { computeFingerprint } from '../keys/ceremony.ts'
import { createCertificateRequest, checkChain } from '../keys/certificates.ts'
import { KeyRefused } from '../keys/refused.ts'
import {
  certifySigningKey,
  get,
  needsSuccessor,
  retireSigningKey,
  revokeSigningKey,
} from '../keys/rotation.ts'
import { makeSigningKey, openSigningKey } from '../keys/signing-key.ts'
import { openToken, type Token } from '../keys/token.ts'
import type { Store } from '../store/open.ts'
import { type SigningKey, deriveKeyState } from '../store/signing-keys.ts'
import {
  readConfig,
  formatNewOptionHelp,
  OPERATOR,
  refuseNew,
  printResult,
  withPresentStore,
  withStore,
} from './appliance.ts'
import { make } from './make-signing-key.ts'
import { readOptions, type Result, type Work } from './signing-key-work.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Keys that sign proofs. A running server applies each change at its next signature.

  npm run signing-keys -- list
  npm run signing-keys -- create [--new] [ceremony options]
  npm run signing-keys -- rotate [--publish-days N] [ceremony options]
  npm run signing-keys -- retire KID
  npm run signing-keys -- revoke KID --since DATE [--without-successor]
  npm run signing-keys -- csr KID [--subject "CN=Branch 7, O=Example"]
  npm run signing-keys -- certify KID --chain FILE
  npm run signing-keys -- export [--pem]

  create    creates the first key, or a key after all were revoked; it signs immediately
  rotate    creates the next key: it is published immediately and signs N days later (default 7), when the present key
            retires. Proofs of both keys verify
  retire    cancels a key that waits for its first day
  revoke    removes a key from the published set: its signatures since DATE (ISO 8601) must not be trusted. If the key is in
            use, the waiting key, or else a new one, replaces it immediately; --without-successor creates none
  csr       prints a certificate request (PKCS#10, PEM)
  certify   checks and stores the certificate chain of a key (PEM, the key's own certificate first)
  export    prints the published keys as a key set (JWKS), or as PEM with --pem

Ceremony, for create and rotate:
  --ceremony       two people create the key: the command asks for both names, and the fingerprint is read aloud and typed
  --record DIR     folder for the record, which the new key signs; only the record holds the names
  --witness NAME   given twice: the two names, instead of the questions
  --unattended     skips typing the fingerprint; the record states this

  --data DIR   the appliance's data folder (default: ~/.local/share/counterproof)
${formatNewOptionHelp(15)}
  --json       prints the result as one JSON object

Exit status: 0 done, 1 refused and nothing changed, 2 wrong use.

Example: npm run signing-keys -- rotate --publish-days 14
`
/** Room for a hundred certificates. */
const LARGEST_CHAIN = 1024 * 1024
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/

const ACTIONS: Readonly<
  Record<
    string,
    { readonly needsKid?: boolean; readonly mayBeNew?: boolean; run(work: Work): Result | Promise<Result> }
  >
> = {
  list: { run: list },
  create: { mayBeNew: true, run: (work) => make(work, 'create') },
  rotate: { run: (work) => make(work, 'rotate') },
  retire: { needsKid: true, run: retire },
  revoke: { needsKid: true, run: revoke },
  csr: { needsKid: true, run: csr },
  certify: { needsKid: true, run: certify },
  export: { run: publish },
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readOptions(argv)
  const [name, kid, ...more] = positionals
  if (values.help || name === undefined) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const action = getAction(ACTIONS, name)
  if (action.needsKid && kid === undefined) throw new UsageError(`${name} needs a KID; see list`)
  refuseMore(action.needsKid ? more : positionals.slice(1))
  const config = readConfig(values)
  if (!action.mayBeNew) refuseNew(values.new, name)
  let token: Token | null = null
  try {
    const act = (store: Store) =>
      action.run({ config, store, values, kid: kid ?? '', openToken: () => (token ??= openToken(config)) })
    const { json, lines } = await (action.mayBeNew
      ? withStore(config, { isNew: values.new }, act)
      : withPresentStore(config, act))
    printResult(values.json, json, lines.map((line) => `${line}\n`).join(''))
    return 0
  } finally {
    // The callback assigns it, which the type narrowing does not see.
    ;(token as Token | null)?.close()
  }
}

function list({ store }: Work): Result {
  const now = new Date()
  const inUse = store.signingKeys.active(now)?.kid
  const keys = store.signingKeys.list().map((key) => ({
    kid: key.kid,
    state: deriveKeyState(key, now),
    inUse: key.kid === inUse,
    source: key.source,
    fingerprint: fingerprint(key),
    createdAt: key.createdAt,
    activeFrom: key.activeFrom,
    retiredAt: key.retiredAt,
    revokedAt: key.revokedAt,
    certified: key.certificateChain !== null,
  }))
  const lines = keys.map((key) => {
    const until = key.revokedAt ?? key.retiredAt
    const dates = `${day(key.activeFrom)} to ${until ? day(until) : '-'.padEnd(10)}`
    return [key.kid, key.state.padEnd(7), dates, key.source, key.certified ? 'certified' : '']
      .join('  ')
      .trimEnd()
  })
  return { json: { keys }, lines: lines.length > 0 ? lines : ['no keys yet: the first start makes one'] }
}

function retire({ store, kid }: Work): Result {
  retireSigningKey(store, kid, new Date(), OPERATOR)
  return { json: { retired: kid }, lines: ['retired'] }
}

async function revoke(work: Work): Promise<Result> {
  const { config, store, values, kid } = work
  const { since } = values
  const date = since !== undefined && DATE.test(since) ? new Date(since) : null
  if (!date || Number.isNaN(date.getTime())) throw new UsageError('revoke needs --since DATE, as 2026-11-21')
  get(store, kid)
  const wanted = !values['without-successor'] && needsSuccessor(store, kid, new Date())
  const successor = wanted ? await makeSigningKey(config.signing.source, work.openToken) : null
  try {
    const next = revokeSigningKey(store, { kid, since: date }, successor, new Date(), OPERATOR)
    const inUse = next?.kid ?? null
    const told = `to verify archives with this revocation: npm run verify-proof -- … --revoked ${kid}=${date.toISOString()}`
    const after = inUse ? `in use now: ${inUse}` : 'no key is in use, so no proof can be sealed: run `create`'
    return { json: { revoked: kid, since: date, inUse }, lines: ['revoked', after, told] }
  } catch (error) {
    successor?.discard()
    throw error
  }
}

async function csr({ store, values, kid, openToken: token }: Work): Promise<Result> {
  const key = get(store, kid)
  const signer = openSigningKey(store.signingKeys, key, token)
  const pem = await createCertificateRequest(signer, values.subject ?? `CN=Counterproof ${store.applianceId}`)
  return { json: { kid, csr: pem }, lines: [pem.trimEnd()] }
}

async function certify({ store, values, kid }: Work): Promise<Result> {
  if (values.chain === undefined) throw new UsageError('certify needs --chain FILE')
  const now = new Date()
  const chain = checkChain(await readText(values.chain), importPublicKey(get(store, kid)), now)
  certifySigningKey(store, kid, chain, now, OPERATOR)
  const { sha256, validTo } = chain
  return { json: { certified: kid, sha256, validTo }, lines: [`certified until ${validTo.toISOString()}`] }
}

function publish({ store, values }: Work): Result {
  const keys = store.signingKeys.publicKeys()
  if (!values.pem) return { json: { keys }, lines: [JSON.stringify({ keys }, null, 2)] }
  const pem = keys.map((jwk) =>
    createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
  )
  return { json: { pem: pem.join('') }, lines: [pem.join('').trimEnd()] }
}

async function readText(path: string): Promise<string> {
  try {
    return (await readGivenFile(path, { mostBytes: LARGEST_CHAIN, mayBeLink: true })).toString('utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new KeyRefused(`There is no file ${path} that can be read.`, { cause })
  }
}

function importPublicKey({ publicJwk }: SigningKey) {
  return createPublicKey({ key: publicJwk, format: 'jwk' })
}

function fingerprint(key: SigningKey): string {
  return computeFingerprint(importPublicKey(key))
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
