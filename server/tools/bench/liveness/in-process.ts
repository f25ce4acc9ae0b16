/**
 * Plays a session without HTTP, store or keys, with the same rules and measurements in this process. It is faster than
 * over HTTP and exposes all measurements, so limits are chosen with it. The protocol's own refusals are not tested.
 */
import { livenessSettings } from '../../../proofing/capture-session.ts'
import type { PortraitHint } from '../../../proofing/portrait-quality.ts'
import { loadLivenessLimits } from '../../../verification/liveness-limits.ts'
import { loadThresholds } from '../../../verification/thresholds.ts'
import { createCalls } from '../../../vision/calls.ts'
import type { Sessions } from '../../../vision/sessions.ts'
import { openSessionJudge, type JudgeTools } from '../../session-judge.ts'
import type { Screen } from '../../specimen/liveness/subject.ts'
import type { Channel, Channels, Opening } from './channel.ts'

export function openInProcess(sessions: Sessions): Channels {
  const vision = createCalls(sessions)
  const tools = { vision, limits: loadLivenessLimits(), thresholds: loadThresholds() }
  return {
    open: async (opening) => {
      if (opening.tampering !== 'NONE') throw new TypeError('the protocol is tried over HTTP alone')
      return openOne(tools, opening)
    },
    hasProtocol: false,
    models: sessions.models.map(({ id }) => id),
    close: async () => undefined,
  }
}

function openOne(tools: JudgeTools, { type, random, colourSet }: Opening): Channel {
  const defaults = { type, securityLevel: 'MEDIUM' } as const
  const settings = livenessSettings({ mode: 'nativeSDK', type }, defaults)
  const draw = (below: number): number => Math.floor(random() * below)
  const judge = openSessionJudge(tools, { settings, draw, colourSet })
  let sequence = 0

  const screen = (hint: PortraitHint): Screen | null => {
    const prompt = judge.getPrompt()
    return prompt && { prompt, hint }
  }
  return {
    begin: async () => screen('SHOW_FACE'),
    frame: async (image, atMs) => screen(await judge.addFrame(image, { sequence: ++sequence, atMs })),
    async verdict() {
      const startedAt = performance.now()
      const { verdict, record } = await judge.decide(null)
      const { outcome, code, reasons, measured } = verdict
      return {
        isLive: outcome === 'passed',
        status: outcome,
        reasons: [...(code === null ? [] : [code]), ...reasons],
        measured,
        record,
        elapsedMs: performance.now() - startedAt,
      }
    },
  }
}
