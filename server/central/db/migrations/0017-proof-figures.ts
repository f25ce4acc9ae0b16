/** Figures of the proofs by day, of each kiosk and of the tenant. The upkeep counts what the feed has (proof-figures.ts). */
import type { Migration } from './migration.ts'
import { systemTable, tenantTable } from '../row-security.ts'

export const proofFigures: Migration = {
  version: 17,
  sql: `
    -- Failed checks and times, as the verifier read them; null: a proof of a version before, or a deleted one.
    ALTER TABLE proofs ADD COLUMN figures jsonb;
    ALTER TABLE quarantined ADD COLUMN figures jsonb;

    CREATE TABLE proof_figures (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      -- Id of the kiosk; or 'tenant', all kiosks.
      part text NOT NULL,
      -- Of the storage, in UTC.
      day date NOT NULL,
      level text NOT NULL,
      test boolean NOT NULL,
      proofs bigint NOT NULL,
      -- Number of proofs that were stored within a minute, ten minutes, an hour, a day after their sealing, or later.
      delays jsonb NOT NULL,
      -- Number of proofs whose duration is known, and its sum.
      timed bigint NOT NULL,
      duration_ms bigint NOT NULL,
      -- By name: proofs with this failed check; proofs with this step; milliseconds of this step.
      failures jsonb NOT NULL,
      steps jsonb NOT NULL,
      step_ms jsonb NOT NULL,
      PRIMARY KEY (tenant_id, part, day, level, test)
    ) WITH (fillfactor = 70);
    ${tenantTable('proof_figures', ['SELECT'])}

    -- One row, which the first count makes: up to this position of the feed every proof is counted.
    CREATE TABLE figures_counted (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      position bigint NOT NULL
    );
    ${systemTable('figures_counted')}
  `,
}
