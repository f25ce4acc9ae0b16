/**
 * The name of the organisation on every screen of the counter: of the visit's settings, of the brand, of the configuration.
 */
import { readTenantName } from '../config/tenant-name.ts'
import type { CounterDeps } from './deps.ts'

/** Null: this machine has no name for it. Journey and brand may change while the server runs. */
export const organisationName = ({
  journey,
  brand,
  config,
}: Pick<CounterDeps, 'journey' | 'brand' | 'config'>): string | null =>
  journey?.organisation ?? brand?.name ?? readTenantName(config.tenant)
