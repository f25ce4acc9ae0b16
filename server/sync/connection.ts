/**
 * The client of the central service that this kiosk has joined, built from the store and rebuilt when the
 * enrolment changes.
 */
import type { Context } from '../context.ts'
import type { CentralTrust } from '../protocol/wire.ts'
import { createCentralClient, type CentralClient } from './central-client.ts'
import { createTokenBucket } from './token-bucket.ts'
import { openTransport, readTlsAuthorities, type Transport } from './transport.ts'

export interface Connection {
  readonly client: CentralClient
  readonly trust: CentralTrust
  readonly tenantId: string
}

export interface Connections {
  /** Null: no central service joined, or one without a network. */
  current(): Connection | null
  close(): Promise<void>
}

export function openConnections({
  store,
  config,
  clock,
}: Pick<Context, 'store' | 'config' | 'clock'>): Connections {
  const { timeoutMs, caFile, bytesPerSecond } = config.sync
  const bucket = createTokenBucket(bytesPerSecond)
  let open: { readonly key: string; readonly transport: Transport; readonly client: CentralClient } | null =
    null
  return {
    current: () => {
      const enrolment = store.enrolments.find()
      if (!enrolment?.membership || enrolment.centralUrl === '') return null
      const { centralUrl, publicJwk, membership } = enrolment
      const { trust, tenantId } = membership
      const key = JSON.stringify([centralUrl, publicJwk, trust.centreId])
      if (open?.key !== key) {
        const privateJwk = store.enrolments.privateJwk()
        if (!privateJwk) return null
        void open?.transport.close()
        const authorities = readTlsAuthorities(config.dataDir, caFile)
        const transport = openTransport({ origin: centralUrl, authorities, timeoutMs, bucket })
        const kiosk = { kioskId: store.applianceId, centreId: trust.centreId, privateJwk }
        open = { key, transport, client: createCentralClient(transport, kiosk, clock) }
      }
      return { client: open.client, trust, tenantId }
    },
    close: async () => {
      await open?.transport.close()
      open = null
    },
  }
}
