/** Gives the head-office side what it needs of the centre: the only file here that knows the core's parts. */
import { Readable } from 'node:stream'
import { openPacket } from '../../protocol/packet.ts'
import type { CentreContext } from '../context.ts'
import { unwrap, wrap } from '../master-key.ts'
import type { HeadOfficeDeps, Secrets, StoredArchive } from './deps.ts'
import { createHeadOffice, type HeadOffice } from './index.ts'
import type { PoolFigures } from './metrics.ts'

type Core = Pick<HeadOfficeDeps, 'createEnrolmentCode' | 'revokeKiosk'>

export function secretsOf(masterKey: Uint8Array): Secrets {
  return {
    seal: (context, plain) => wrap(masterKey, plain, context),
    open: (context, sealed) => unwrap(masterKey, sealed, context),
  }
}

/** @param pool figures of the database's connections; null where there are none */
export function headOfficeOf(
  context: CentreContext,
  masterKey: Uint8Array,
  core: Core,
  pool: () => PoolFigures | null = () => null,
): HeadOffice {
  const { config, db, log, clock, keys } = context
  return createHeadOffice(
    {
      ...core,
      db,
      log,
      clock,
      options: config.headOffice,
      secrets: secretsOf(masterKey),
      openArchive: (archive) => openArchive(context, archive),
      hashCorrelationId: (tenantId, correlationId) => keys.current().correlationHash(tenantId, correlationId),
      statementKey: () => keys.current().statementKey,
    },
    pool,
  )
}

/** The first piece is opened before anything is answered: what is damaged from the start is an error, not a short zip. */
async function openArchive(
  { storage, keys }: CentreContext,
  { location, packetBytes }: StoredArchive,
): Promise<Readable> {
  const { archive } = await openPacket(storage.read(location, packetBytes), keys.current().packetKeys)
  const first = await archive.next()
  return Readable.from(
    (async function* () {
      if (first.done) return
      yield first.value
      yield* archive
    })(),
    { objectMode: false },
  )
}
