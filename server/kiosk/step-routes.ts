/** The steps of a visit, one route per act. The acts decide what is allowed when. */
import type { Router } from 'express'
import { parse } from '../http/parse.ts'
import { fileBody, readDocumentFile, imageBody, readImage, jsonBody } from './bodies.ts'
import { answerCheck, cutCrop, retakeDocument } from './acts/check.ts'
import { beginChip } from './acts/chip.ts'
import { answerDetails, checkDetails, passAddress } from './acts/details.ts'
import {
  chooseDocument,
  dropChoice,
  letDocumentTell,
  listCountries,
  openDocument,
  sendDocumentFile,
} from './acts/document.ts'
import { finishVisit, skipStep } from './acts/finish.ts'
import { dropNumber, sendCode, sendNumber } from './acts/phone.ts'
import { openPortrait, sendPortraitFile } from './acts/portrait.ts'
import { beginLogin, dropLogin } from './acts/trusted-login.ts'
import {
  CHECK_FIELDS,
  CheckAnswer,
  ChipStart,
  DetailsAnswer,
  DocumentChoice,
  PhoneCode,
  PhoneNumber,
  PortraitWish,
  ProviderChoice,
  SkipStep,
} from './contract/visit.ts'
import { AppError } from '../errors.ts'
import type { KioskDeps } from './port.ts'
import { createTurns } from './turns.ts'
import type { VisitsInProgress } from './visits-in-progress.ts'

export function stepRoutes(api: Router, deps: KioskDeps, visits: VisitsInProgress): void {
  const { known, reading, changing, answering } = createTurns(deps, visits)
  const json = [known, jsonBody]

  api.get(
    '/countries',
    reading(async ({ kit }, _req, res) => {
      res.json(await listCountries(kit))
    }),
  )
  api.post(
    '/document/choice',
    json,
    answering((turn, req) => chooseDocument(turn, parse(DocumentChoice, req.body ?? {}))),
  )
  api.delete('/document/choice', known, answering(dropChoice))
  api.delete('/document/kind', known, answering(letDocumentTell))
  api.post(
    '/document/session',
    known,
    changing(async (turn, _req, res) => {
      res.json(await openDocument(turn))
    }),
  )
  api.post(
    '/document/file',
    known,
    fileBody,
    answering((turn, req) => sendDocumentFile(turn, readDocumentFile(req))),
  )

  api.get(
    '/check/crop/:field',
    reading(async (turn, req, res) => {
      const field = CHECK_FIELDS.find((name) => name === req.params.field)
      if (!field) throw new AppError('not_found', { resource: 'crop' })
      const { bytes, mediaType } = await cutCrop(turn, field)
      res.type(mediaType).send(Buffer.from(bytes))
    }),
  )
  api.post(
    '/check',
    json,
    answering((turn, req) => answerCheck(turn, parse(CheckAnswer, req.body ?? {}))),
  )
  api.post(
    '/chip',
    json,
    answering((turn, req) => beginChip(turn, parse(ChipStart, req.body ?? {}))),
  )
  api.post(
    '/details',
    json,
    answering((turn, req) => answerDetails(turn, parse(DetailsAnswer, req.body ?? {}))),
  )
  api.post(
    '/details/check',
    json,
    reading(async (turn, req, res) => {
      res.json(await checkDetails(turn, parse(DetailsAnswer, req.body ?? {})))
    }),
  )
  api.post('/details/next', known, answering(passAddress))
  api.post('/check/retake', known, answering(retakeDocument))

  api.post(
    '/portrait/session',
    json,
    changing(async (turn, req, res) => {
      res.json(await openPortrait(turn, parse(PortraitWish, req.body ?? {})))
    }),
  )
  api.post(
    '/portrait/file',
    known,
    imageBody,
    answering((turn, req) => sendPortraitFile(turn, readImage(req))),
  )

  api.post(
    '/phone',
    json,
    answering((turn, req) => sendNumber(turn, parse(PhoneNumber, req.body ?? {}).number)),
  )
  api.delete('/phone', known, answering(dropNumber))
  api.post(
    '/phone/code',
    json,
    answering((turn, req) => sendCode(turn, parse(PhoneCode, req.body ?? {}).code)),
  )

  api.post(
    '/trusted-login',
    json,
    answering((turn, req) => beginLogin(turn, parse(ProviderChoice, req.body ?? {}).id, req)),
  )
  api.delete('/trusted-login', known, answering(dropLogin))

  api.post(
    '/skip',
    json,
    answering((turn, req) => skipStep(turn, parse(SkipStep, req.body ?? {}))),
  )
  api.post('/finish', known, answering(finishVisit))
}
