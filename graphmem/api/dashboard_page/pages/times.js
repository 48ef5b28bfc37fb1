// The times of a job in words.

const DAYS = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};

/** "0 3 * * *" as "every day at 03:00"; what is not that plain stays as it is. */
export function inWords(cron) {
  const [minute, hour, day, month, weekday] = cron.split(/\s+/);
  if (month !== "*" || weekday === undefined) return cron;
  if (hour === "*" && day === "*" && weekday === "*") return withinHour(minute) ?? cron;
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return cron;
  const at = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day === "*" && weekday === "*") return `every day at ${at}`;
  if (day === "*" && DAYS[weekday]) return `every ${DAYS[weekday]} at ${at}`;
  return /^\d+$/.test(day) && weekday === "*" ? `on day ${day} of each month at ${at}` : cron;
}

function withinHour(minute) {
  const step = /^\*\/(\d+)$/.exec(minute);
  if (minute === "*") return "every minute";
  if (step) return `every ${step[1]} minutes`;
  return /^\d+$/.test(minute) ? `every hour at ${minute.padStart(2, "0")} past` : null;
}
