/**
 * The head-office side of the central service: the routes for systems of the head office, operators and
 * Prometheus. It reads the data that the kiosks' side has stored; it gets functions of that side (deps.ts)
 * and imports only the database.
 */
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express'
import { PRODUCT_VERSION } from '../../version.ts'
import { accessHandlers, noteReading, noteRefusal } from './access-log.ts'
import { bundleHandlers } from './bundles.ts'
import { authenticate } from './consumers.ts'
import type { HeadOfficeDeps } from './deps.ts'
import { deletionHandlers } from './deletion.ts'
import { createFeedWatch } from './feed-watch.ts'
import { figuresHandlers } from './figures.ts'
import { fleetHandlers } from './fleet.ts'
import { createHeadOfficeHttp } from './http.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { mountMetrics } from './metrics-route.ts'
import { pages } from './pages.ts'
import { proofHandlers } from './proofs.ts'
import { recordHandlers } from './records.ts'
import { rolloutHandlers } from './rollouts.ts'
import { createStaff } from './staff/staff.ts'
import { mountVerify } from './verify.ts'
import { createDeliveryRunner, type DeliveryRunner } from './webhooks/runner.ts'
import { webhookHandlers } from './webhooks/endpoints.ts'
import { createSender } from '../../outgoing/send.ts'

export { newestBundle, newestVersion } from './bundles.ts'
export type {
  DeletedRow,
  ErasedProof,
  HeadOfficeDeps,
  HoldAct,
  KeptHold,
  Secrets,
  StoredArchive,
} from './deps.ts'
export { enqueueEvent, type CentralEvent } from './webhooks/events.ts'
export { HeadOfficeOptionsSchema, type HeadOfficeOptions } from './options.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { StaffOptionsSchema, type StaffOidc } from './staff/options.ts'
export { dropEndedSessions } from './staff/sessions.ts'

export interface HeadOffice {
  /** /head-office/v1, /openapi.json, /docs, /fleet, /staff, /verify, /metrics; other paths are passed on. */
  readonly router: Router
  /** Mounted after all routes: answers unknown paths, and failures that no route answered. */
  readonly last: readonly [RequestHandler, ErrorRequestHandler]
  readonly metrics: Metrics
  readonly deliveries: DeliveryRunner
  start(): void
  /** Answers all long polls, because the service is about to stop. */
  drain(): void
  stop(): Promise<void>
}

export function createHeadOffice(deps: HeadOfficeDeps): HeadOffice {
  const { db, log, clock, options, secrets, countCalls } = deps
  const watch = createFeedWatch(db, log)
  const metrics = createMetrics(db, deps.countStorageFailures)
  const staff = createStaff(deps, deps.staffOidc)
  const http = createHeadOfficeHttp({
    options,
    log,
    countCalls,
    authenticate: (key) => authenticate(db, key, clock.now()),
    authenticatePerson: (req) => staff.authenticate(req),
    accessLog: {
      noteReading: (holder, operation, subject, isExport) =>
        noteReading(db, holder, operation, clock.now(), subject, isExport),
      noteRefusal: (holder, operation, code, subject) =>
        noteRefusal(db, holder, operation, clock.now(), code, subject),
    },
    handlers: {
      ...proofHandlers(deps, watch),
      ...deletionHandlers(deps),
      ...fleetHandlers(deps),
      ...recordHandlers(deps),
      ...figuresHandlers(deps),
      ...rolloutHandlers(deps),
      ...webhookHandlers(deps),
      ...bundleHandlers(deps),
      ...accessHandlers(deps),
    },
  })
  const sender = createSender(options.webhooks, `Counterproof/${PRODUCT_VERSION}`)
  const deliveries = createDeliveryRunner({ db, log, secrets, sender, options: options.webhooks })
  const router = Router({ strict: true, caseSensitive: true })
  mountMetrics(router, http, metrics, options.metricsToken)
  mountVerify(router, http, deps)
  staff.mount(router, http)
  router.use(pages(deps.screensDir))
  router.use(http.router)
  return {
    router,
    last: [http.unknown, http.failures],
    metrics,
    deliveries,
    start: () => deliveries.start(),
    drain: () => watch.close(),
    stop: async () => {
      watch.close()
      await deliveries.stop()
    },
  }
}
