/** The limits that the product ships: what the rules are tested with. */
import { loadMatchLimits } from '../../../../server/watchlists/limits.ts'

export const LIMITS = loadMatchLimits()
