/** Shared by document and portrait: ends a capture session that is no longer needed. */
import { AppError } from '../../errors.ts'
import type { CaptureStepName } from '../facts.ts'
import type { Turn } from '../kit.ts'

/**
 * Ends the session: an open session that gets no pictures would keep the whole visit open. An ended one is
 * left as it is.
 */
export async function abandonCapture({ kit, session }: Turn, step: CaptureStepName): Promise<void> {
  const sessionId = session.facts[step].current?.sessionId
  if (!sessionId) return
  try {
    await kit.deps.workflows.abandonCaptureSession(sessionId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
