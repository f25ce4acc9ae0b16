/** Reports an officer's observations of the capture or the document. Measures nothing itself. */
import { attendanceFindings } from '../../proofing/attendance.ts'
import type { Step, Subject } from '../subject.ts'

const findAttendance = (subject: Subject) => (subject.family === 'DATA' ? null : (subject.attendance ?? null))

export const attendedCapture: Step = {
  name: 'attended-capture',
  appliesTo: (subject) => findAttendance(subject) !== null,
  run: async (subject) => {
    const attendance = findAttendance(subject)
    return { findings: attendance ? attendanceFindings(attendance) : [], models: [] }
  },
}
