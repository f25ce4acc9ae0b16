/**
 * Where packets lie, sealed as they came. While one is being received it is a large object of PostgreSQL; once it is
 * stored it stays that (`lo:OID`) or lies in S3-compatible storage (`s3:KEY`), as configured. What lies in either place
 * is read back whatever the configuration says today.
 */
import type { Queries } from '../db/db.ts'

export interface PacketFacts {
  readonly tenantId: string
  readonly proofId: string
  /** Of the packet, lower-case hex. */
  readonly sha256: string
  readonly bytes: number
}

export interface PacketStorage {
  /** Null where the received large object is itself the place. Known before anything is written there. */
  placeOf(packet: PacketFacts): string | null
  /** Puts it there; again is harmless. Throws `centre_unavailable`. */
  put(location: string, packet: PacketFacts, content: AsyncIterable<Uint8Array>): Promise<void>
  /** In pieces. Throws `storage_damaged` when it is not there, `centre_unavailable` when nobody answers. */
  read(location: string, bytes: number): AsyncGenerator<Buffer>
  /** What is gone already is no error. With `queries`, a large object goes in that transaction. */
  remove(location: string, queries: Queries): Promise<void>
}
