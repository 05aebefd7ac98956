// Points for an applicant, and whether they reach a limit.
module score(
    input  [15:0] income,
    input  [15:0] debt,
    input  [6:0]  age,
    input         late,      // has paid late before
    input  [9:0]  limit,
    output [9:0]  points,
    output        accept
);
    wire [17:0] thrice = 3 * debt;
    wire [9:0] for_debt = income >= thrice ? 300 : income >= debt ? 150 : 0;
    wire [9:0] for_age = age >= 25 && age < 65 ? 100 : 40;
    wire [9:0] for_history = late ? 0 : 250;
    assign points = for_debt + for_age + for_history;
    assign accept = points >= limit;
endmodule
