/**
 * Operators list parked deliveries, and the metrics count them, among all that were delivered in a month. Measured: events
 * with a webhook wait a quarter of a second for a million deliveries.
 */
import type { Migration } from './migration.ts'

export const parkedDeliveries: Migration = {
  version: 15,
  sql: `CREATE INDEX deliveries_parked ON deliveries (created_at, id) WHERE state = 'PARKED';`,
}
