// harmless: recursion and spread, nothing else
const quickSort = (list) => {
	if (list.length < 2) return list;
	const [pivot, ...rest] = list;
	return [
		...quickSort(rest.filter((x) => x < pivot)),
		pivot,
		...quickSort(rest.filter((x) => x >= pivot)),
	];
};
quickSort([5, 2, 8, 1, 9, 3]).join(",") === "1,2,3,5,8,9";
