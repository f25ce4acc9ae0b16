/** The model card of our own engines, from models/manifest.json. */
import { listSessions, type Sessions } from '../sessions.ts'
import type { ModelCard } from './engine.ts'

export function describeOwn(sessions: Sessions, role: string): ModelCard {
  const ids = new Set(listSessions(sessions, role).map(({ model }) => model.id))
  const entries = sessions.manifest.models.filter(({ id }) => ids.has(id))
  const tell = (words: (entry: (typeof entries)[number]) => string): string =>
    entries.map((entry) => `${entry.id}: ${words(entry)}`).join('; ')
  return {
    publisher: 'Counterproof, with networks of others (models/manifest.json)',
    licence: tell(({ licence }) => licence),
    trainingData: tell(({ trainingData }) => trainingData ?? 'see its origin'),
    intendedUse: 'identity proofing of a consenting person by this appliance',
    knownRates:
      'models/README.md and the operating points in models/manifest.json; no independent evaluation',
  }
}
