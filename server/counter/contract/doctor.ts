/**
 * The examination of the machine and the installation, as `npm run doctor` prints it, for administrators.
 * POST doctor → DoctorReport   takes some seconds; calls at the same time get the same examination
 */
export type { CheckName, CheckResult, CheckState, DoctorReport, Finding } from '../../doctor/report.ts'
