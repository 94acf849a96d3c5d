// hostile: sends what it has over the network
fetch("http://169.254.169.254/latest/meta-data/")
	.then((response) => response.text())
	.then((text) => console.log(text));
