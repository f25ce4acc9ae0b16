/** Our own engines, as far as their networks are loaded. */
import { listSessions, type Sessions } from '../sessions.ts'
import type { Engines, FaceMatchEngine } from './engine.ts'
import { createOwnAttackEngine } from './own-attack-engine.ts'
import { createOwnFaceEngine } from './own-face-engine.ts'

export function openOwnEngines(sessions: Sessions): Engines {
  return {
    faceMatching: openOwnMatching(sessions),
    attackDetection: createOwnAttackEngine(sessions),
  }
}

/** If the embedders' files were refused, faces are still detected, and calls that compare are rejected earlier. */
function openOwnMatching(sessions: Sessions): FaceMatchEngine {
  if (listSessions(sessions, 'face-embedding').length > 0) return createOwnFaceEngine(sessions)
  const refuse = (): never => {
    throw new TypeError('no embedder is loaded')
  }
  const none = { id: 'none', version: '0', sha256: '' }
  const card = { publisher: '', licence: '', trainingData: '', intendedUse: '', knownRates: '' }
  return {
    about: none,
    card,
    models: [],
    get points() {
      return refuse()
    },
    check: refuse,
    embed: refuse,
    fuse: refuse,
    compare: refuse,
  }
}
