/**
 * Storage of packets, encrypted as received, and of the packages of releases: a large object of PostgreSQL (`lo:OID`) or S3-compatible storage
 * (`s3:KEY`), as configured. A packet that is received in one piece goes to S3 directly; others are a large object
 * until they are stored. Both kinds stay readable whatever the configuration says later.
 */
import type { Queries } from '../db/db.ts'
import type { StorageCalls } from './storage-calls.ts'

export interface PacketFacts {
  readonly tenantId: string
  readonly proofId: string
  /** SHA-256 of the packet, lower-case hex. */
  readonly sha256: string
  readonly bytes: number
}

/** Hash (lower-case hex) and length of stored bytes. */
export type ContentFacts = Pick<PacketFacts, 'sha256' | 'bytes'>

export interface PacketStorage {
  /** New packets are stored outside the database. */
  readonly isOutside: boolean
  /** To the storage outside the database. */
  readonly calls: StorageCalls
  /** Null if the received large object itself is the location. Known before anything is written there. */
  locatePacket(packet: PacketFacts): string | null
  /** Null: a large object. */
  locateRelease(sha256: string): string | null
  /** Repeating it is harmless. Throws `centre_unavailable`. */
  put(location: string, facts: ContentFacts, content: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Yields chunks. Throws `storage_damaged` if it is missing, `centre_unavailable` if the storage does not
   * answer.
   */
  read(location: string, bytes: number): AsyncGenerator<Buffer>
  /** Throws as `read` does. */
  readPiece(location: string, offset: number, length: number): Promise<Buffer>
  /** Removing a missing packet is no error. With `queries`, a large object is removed in that transaction. */
  remove(location: string, queries: Queries): Promise<void>
  /** The same for a packet outside the database, with no transaction open. Throws `storage_damaged` for any other location. */
  removeOutside(location: string): Promise<void>
}
