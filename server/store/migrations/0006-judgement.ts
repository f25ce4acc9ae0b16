/** The judgement: assessments, adjudicators' decisions, antifraud, watchlists, webhooks. */
import { adjudication } from './0006/adjudication.ts'
import { antifraud } from './0006/antifraud.ts'
import { assessment } from './0006/assessment.ts'
import { watchlists } from './0006/watchlists.ts'
import { webhooks } from './0006/webhooks.ts'

export const judgement = [assessment, adjudication, antifraud, watchlists, webhooks].join('\n')
