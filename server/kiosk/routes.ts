/** Routes outside the steps: the journey, the session, the consent that starts the visit, help, notes. */
import type { Request, Router } from 'express'
import { fieldProblem } from '../errors.ts'
import { parse } from '../http/parse.ts'
import { jsonBody } from './bodies.ts'
import { answerConsent } from './acts/consent.ts'
import { ConsentAnswer, LeavingReason, ScreenNotes, SessionStart } from './contract/visit.ts'
import type { JourneyView } from './contract/visit.ts'
import { estimateMinutes } from './duration.ts'
import { callerFor, viewVisit, type Turn } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { COOKIE_OPTIONS, readSessionCookie, SESSION_COOKIE, createTurns } from './turns.ts'
import type { VisitsInProgress } from './visits-in-progress.ts'

export function sessionRoutes(api: Router, deps: KioskDeps, visits: VisitsInProgress): void {
  const { known, reading, looking, changing, answering } = createTurns(deps, visits)
  const { record, keeper } = visits.kit

  api.get('/journey', (req, res) => {
    // A page that is reloaded during a visit continues, even while no visit may begin.
    if (!visits.sessions.touch(readSessionCookie(req), deps.clock.now())) deps.requireOpen?.()
    res.json(journeyView(deps))
  })

  api.post('/session', jsonBody, async (req, res) => {
    deps.requireOpen?.()
    const { language } = parse(SessionStart, req.body ?? {})
    requireOffered(deps, language)
    const former = visits.sessions.touch(readSessionCookie(req), deps.clock.now())
    if (former) await visits.leave(former, 'RESTARTED')
    const { token, session } = visits.begin(language)
    // A session cookie: after a power cut the next applicant must not continue the previous visit.
    res.cookie(SESSION_COOKIE, token, COOKIE_OPTIONS)
    res.json(await viewVisit({ kit: visits.kit, session, caller: callerFor(visits.kit, req) }))
  })

  api.put(
    '/session/language',
    known,
    jsonBody,
    answering(async ({ session }, req) => {
      const { language } = parse(SessionStart, req.body ?? {})
      requireOffered(deps, language)
      session.language = language
      keeper.keep(session)
      record.speak(session)
    }),
  )

  api.delete('/session', async (req, res) => {
    const session = visits.sessions.touch(readSessionCookie(req), deps.clock.now())
    if (session) await visits.leave(session, readLeavingReason(req))
    res.clearCookie(SESSION_COOKIE, COOKIE_OPTIONS)
    res.status(204).end()
  })

  api.get(
    '/visit',
    looking(async (turn, _req, res) => {
      visits.isTakenOver(turn.session)
      res.json(await viewVisit(turn))
    }),
  )

  api.post(
    '/consent',
    known,
    jsonBody,
    changing(async (turn, req, res) => {
      const agreed = await answerConsent(turn, parse(ConsentAnswer, req.body ?? {}))
      if (agreed) {
        res.json(await viewVisit(turn))
        return
      }
      await visits.end(turn.session, 'REFUSED')
      res.clearCookie(SESSION_COOKIE, COOKIE_OPTIONS)
      res.status(204).end()
    }),
  )

  const help =
    (isWanted: boolean) =>
    async ({ session }: Turn) =>
      record.askHelp(session, isWanted)
  api.post('/help', known, answering(help(true)))
  api.delete('/help', known, answering(help(false)))

  api.post(
    '/notes',
    known,
    jsonBody,
    reading(async ({ session }, req, res) => {
      for (const { kind, code } of parse(ScreenNotes, req.body ?? {}).notes) record.note(session, kind, code)
      res.status(204).end()
    }),
  )
}

/** Leaves out the parts that the page does not use: steps, conditions, levels. */
function journeyView({ journey, settings }: KioskDeps): JourneyView {
  const { id, version, languages, texts, idleSeconds, receipt } = journey
  const { brand, tenantMode: mode, tenantName, display, name: kiosk, ownWindow } = settings
  const organisation = journey.organisation ?? brand?.name ?? tenantName
  return {
    id,
    version,
    organisation,
    brand,
    languages,
    texts,
    idleSeconds,
    minutes: estimateMinutes(journey.steps, settings),
    receipt,
    mode,
    display,
    kiosk,
    ownWindow,
  }
}

function requireOffered({ journey }: KioskDeps, language: string): void {
  if (!journey.languages.includes(language)) throw fieldProblem('unknown', 'language', 'is not offered')
}

/** A missing or unknown reason does not prevent leaving. */
function readLeavingReason(req: Request): LeavingReason | null {
  const said = LeavingReason.safeParse(req.query.why)
  return said.success ? said.data : 'STOPPED'
}
