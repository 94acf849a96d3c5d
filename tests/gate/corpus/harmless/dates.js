// harmless: arithmetic with dates, business days
function addBusinessDays(start, days) {
	const date = new Date(start.getTime());
	while (days > 0) {
		date.setUTCDate(date.getUTCDate() + 1);
		const day = date.getUTCDay();
		if (day !== 0 && day !== 6) days--;
	}
	return date;
}
addBusinessDays(new Date(Date.UTC(2024, 0, 5)), 3).toISOString().slice(0, 10) === "2024-01-10";
