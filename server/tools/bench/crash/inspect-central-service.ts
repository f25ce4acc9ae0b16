/** Fetches every proof of the central service's feed, as head office does, and verifies its archive again. */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { verifyProof } from '../../../proof/verify.ts'

export interface CentralFindings {
  /** Proof id → SHA-256 of the fetched archive. */
  readonly proofs: ReadonlyMap<string, string>
  readonly duplicated: readonly string[]
  /** Archives that do not verify or differ from the feed. */
  readonly unverified: readonly string[]
  readonly alarms: readonly string[]
}

interface FeedItem {
  readonly proofId: string
  readonly identityId: string
  readonly sha256: string
}

interface FeedPage {
  readonly proofs: readonly FeedItem[]
  readonly next: string | null
  readonly more: boolean
}

/** @param only proofs to examine; all if absent */
export async function inspectCentralService(
  url: string,
  consumerKey: string,
  jwks: unknown,
  only?: ReadonlySet<string>,
): Promise<CentralFindings> {
  const get = async (path: string): Promise<Response> => {
    for (;;) {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${consumerKey}` } })
      if (response.ok) return response
      await response.body?.cancel()
      if (response.status !== 429) throw new Error(`GET ${path} was answered with ${response.status}`)
      await wait(Number(response.headers.get('retry-after') ?? 1) * 1000)
    }
  }
  const proofs = new Map<string, string>()
  const identities = new Set<string>()
  const duplicated: string[] = []
  const unverified: string[] = []
  let after = ''
  for (let more = true; more;) {
    const query = after === '' ? 'limit=100' : `limit=100&after=${after}`
    const page = (await (await get(`/head-office/v1/proofs?${query}`)).json()) as FeedPage
    after = page.next ?? after
    more = page.more
    for (const { proofId, identityId, sha256 } of page.proofs) {
      if (only && !only.has(proofId)) continue
      if (proofs.has(proofId)) duplicated.push(`proof ${proofId} stands twice in the feed`)
      if (identities.has(identityId)) duplicated.push(`identity ${identityId} has two proofs`)
      identities.add(identityId)
      const archive = new Uint8Array(
        await (await get(`/head-office/v1/proofs/${proofId}/archive`)).arrayBuffer(),
      )
      const hash = createHash('sha256').update(archive).digest('hex')
      proofs.set(proofId, hash)
      const report = await verifyProof(archive, { jwks })
      if (!report.valid || report.proofId !== proofId || hash !== sha256) unverified.push(`proof ${proofId}`)
    }
  }
  const { alarms } = (await (await get('/head-office/v1/alarms')).json()) as {
    readonly alarms: readonly { readonly kind: string }[]
  }
  return { proofs, duplicated, unverified, alarms: alarms.map(({ kind }) => kind) }
}
