/**
 * POST /verify: the report on an archive, by the keys that are given with it, and for a signed-in consumer by those of
 * its tenant's kiosks too. The archive stays in memory for as long as it is read; nothing is stored or logged of it.
 */
import type { Request, Router } from 'express'
import { AppError, fieldProblem } from '../../errors.ts'
import { extractArchive } from '../../proof/multipart.ts'
import { verifyProof, type KeySource } from '../../proof/verify.ts'
import { parseJson, readBody } from './body.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { CallWindow, requireScope } from './guard.ts'
import { setApiHeaders, type HeadOfficeHttp } from './http.ts'

/** Each holds an archive in memory. Strangers have places of their own: whoever has a key does not wait for them. */
const MOST_AT_ONCE = { stranger: 2, consumer: 2 }
const MAX_KEY_CHARS = 1_000_000

interface Given {
  readonly archive: Uint8Array
  readonly keys: KeySource
}

export function mountVerify(router: Router, http: HeadOfficeHttp, deps: HeadOfficeDeps): void {
  const open = new CallWindow(deps.options.openCallsPerMinute)
  const running = { stranger: 0, consumer: 0 }
  router.post(
    '/verify',
    http.run('verify', async (req, res) => {
      setApiHeaders(res)
      const holder = req.headers.authorization === undefined ? null : await http.holderOf(req, res)
      if (holder) requireScope(holder, 'proofs:read')
      else {
        const standing = open.hit(req.socket.remoteAddress ?? '')
        if (standing.isRefused) {
          res.setHeader('Retry-After', String(standing.resetSeconds))
          throw new AppError('rate_limited')
        }
      }
      const who = holder ? 'consumer' : 'stranger'
      if (running[who] >= MOST_AT_ONCE[who]) {
        res.setHeader('Retry-After', '2')
        throw new AppError('rate_limited')
      }
      running[who]++
      try {
        const { archive, keys } = await readGiven(req, deps.options.verifyMaxBytes)
        const own = holder ? await kioskKeys(deps, holder.tenantId) : { keys: [], revoked: {} }
        const jwks = holder ? withKeys(keys.jwks, own.keys) : keys.jwks
        const { revoked } = own
        const report = await verifyProof(archive, {
          ...keys,
          ...(jwks === undefined ? {} : { jwks }),
          revoked,
        })
        res.json(report)
      } finally {
        running[who]--
      }
    }),
  )
}

async function readGiven(req: Request, limitBytes: number): Promise<Given> {
  const type = req.headers['content-type'] ?? ''
  const body = await readBody(req, limitBytes)
  if (!/^multipart\/form-data\b/i.test(type)) return { archive: archiveOf(body), keys: {} }
  let form: FormData
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new AppError('malformed_body', {}, { cause })
  }
  const archive = form.get('archive')
  if (!(archive instanceof Blob)) throw fieldProblem('required', 'archive', 'the archive is missing')
  const [keys, ca, tsaCa] = [
    await textOf(form, 'keys'),
    await textOf(form, 'ca'),
    await textOf(form, 'tsaCa'),
  ]
  return {
    archive: archiveOf(new Uint8Array(await archive.arrayBuffer())),
    keys: {
      ...(keys === null ? {} : keysOf(keys)),
      ...(ca === null ? {} : { caPem: ca }),
      ...(tsaCa === null ? {} : { tsaCaPem: tsaCa }),
    },
  }
}

/** What is no zip at all is left as it is: the verifier says so. */
function archiveOf(bytes: Uint8Array): Uint8Array {
  return extractArchive(bytes) ?? bytes
}

async function textOf(form: FormData, name: string): Promise<string | null> {
  const value = form.get(name)
  const text = typeof value === 'string' ? value : value === null ? '' : await value.text()
  if (text.length > MAX_KEY_CHARS) throw fieldProblem('too_big', name, 'is larger than any set of keys')
  return text.trim() === '' ? null : text
}

/** A JWKS or a JWK when it is JSON, else PEM. */
function keysOf(text: string): KeySource {
  if (!text.trimStart().startsWith('{')) return { pem: text }
  return { jwks: parseJson(Buffer.from(text, 'utf8')) }
}

/** A key that any of them revoked counts as revoked. */
async function kioskKeys(
  deps: HeadOfficeDeps,
  tenantId: string,
): Promise<{ readonly keys: readonly unknown[]; readonly revoked: Readonly<Record<string, Date>> }> {
  const rows = await deps.db.query<{ proof_keys: unknown[]; revoked_keys: Record<string, number> }>(
    { tenant: tenantId },
    'SELECT proof_keys, revoked_keys FROM kiosks',
  )
  const revoked = new Map<string, number>()
  for (const [kid, since] of rows.flatMap(({ revoked_keys: keys }) => Object.entries(keys))) {
    revoked.set(kid, Math.min(since, revoked.get(kid) ?? since))
  }
  return {
    keys: rows.flatMap(({ proof_keys: keys }) => keys),
    revoked: Object.fromEntries([...revoked].map(([kid, since]) => [kid, new Date(since)])),
  }
}

function withKeys(given: unknown, more: readonly unknown[]): unknown {
  const listed = typeof given === 'object' && given !== null && 'keys' in given ? given.keys : []
  const own =
    given === undefined ? [] : Array.isArray(listed) && listed.length > 0 ? (listed as unknown[]) : [given]
  return own.length + more.length === 0 ? undefined : { keys: [...own, ...more] }
}
