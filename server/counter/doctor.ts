/** Examines the machine and the installation for an administrator. Owns: one examination at a time. Never: a rule of the doctor. */
import { Router } from 'express'
import { diagnose, readConfigOnDisk } from '../doctor/diagnose.ts'
import { readLastSync } from '../workflows/health/last-sync.ts'
import { needs } from './access.ts'
import type { DoctorReport } from './contract/doctor.ts'
import type { CounterDeps } from './deps.ts'

export function doctorRouter(deps: CounterDeps): Router {
  const router = Router()
  let running: Promise<DoctorReport> | null = null

  router.post('/doctor', needs('doctor:run'), async (_req, res) => {
    running ??= examine(deps).finally(() => {
      running = null
    })
    res.json(await running)
  })
  return router
}

/** The running appliance knows its own parts; config.json is read again, because the next start reads it. */
function examine({ ctx, workflows, store, clock }: CounterDeps): Promise<DoctorReport> {
  const { dataDir } = ctx.config
  return diagnose({
    dataDir,
    readSettings: () => readConfigOnDisk(dataDir),
    readHealth: () => workflows.health(),
    readReaders: async () => (await ctx.chipReaders?.state()) ?? null,
    listSigningCertificates: () =>
      store.signingKeys
        .list()
        .flatMap(({ kid, certificateChain, retiredAt, revokedAt }) =>
          certificateChain === null || retiredAt || revokedAt ? [] : [{ kid, chain: certificateChain }],
        ),
    readTime: () => ({ statement: ctx.time.statement(), wall: new Date() }),
    readSync: () => readLastSync(store, (store.enrolments.find()?.membership ?? null) !== null),
    env: process.env,
    now: () => clock.now(),
  })
}
