/** The contract between the kiosk's page and its server. */
export * from './guidance-codes.ts'
export * from './journey.ts'
export * from './visit.ts'
